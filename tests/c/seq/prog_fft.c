// FFT in double complex, inverse, convolution; number-theoretic transform; integrals; Newton.
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static void fft(double complex *a, int n, int inv) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double complex t = a[i];
      a[i] = a[j];
      a[j] = t;
    }
  }
  for (int len = 2; len <= n; len *= 2) {
    double ang = 2 * acos(-1) / len * (inv ? -1 : 1);
    double complex w = cos(ang) + I * sin(ang);
    for (int i = 0; i < n; i += len) {
      double complex f = 1;
      for (int j = 0; j < len / 2; j++, f *= w) {
        double complex u = a[i + j], v = a[i + j + len / 2] * f;
        a[i + j] = u + v;
        a[i + j + len / 2] = u - v;
      }
    }
  }
  if (inv)
    for (int i = 0; i < n; i++) a[i] /= n;
}
enum { P = 998244353 };
static uint64_t pw(uint64_t b, uint64_t e) {
  uint64_t r = 1;
  for (; e; e >>= 1, b = b * b % P)
    if (e & 1) r = r * b % P;
  return r;
}
static void ntt(uint32_t *a, int n, int inv) {
  uint32_t out[64];
  uint64_t g = pw(3, (P - 1) / (unsigned)n);
  if (inv) g = pw(g, P - 2);
  for (int k = 0; k < n; k++) {
    uint64_t s = 0, x = pw(g, (unsigned)k), f = 1;
    for (int i = 0; i < n; i++, f = f * x % P) s += a[i] * f % P;
    out[k] = (uint32_t)(s % P);
  }
  uint64_t d = inv ? pw((unsigned)n, P - 2) : 1;
  for (int k = 0; k < n; k++) a[k] = (uint32_t)(out[k] * d % P);
}
static double simpson(double (*f)(double), double a, double b, int n) {
  double h = (b - a) / n, s = f(a) + f(b);
  for (int i = 1; i < n; i++) s += f(a + i * h) * (i & 1 ? 4 : 2);
  return s * h / 3;
}
static double bump(double x) { return exp(-x * x); }

int main(void) {
  enum { N = 64 };
  double complex a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = sin(i * 0.3) + 0.5 * cos(i * 1.1), b[i] = a[i];
  fft(a, N, 0);
  int peak = 0;
  for (int i = 1; i < N / 2; i++)
    if (cabs(a[i]) > cabs(a[peak])) peak = i;
  printf("%d %.8f\n", peak, cabs(a[peak]));
  fft(a, N, 1);
  double err = 0;
  for (int i = 0; i < N; i++) err += cabs(a[i] - b[i]);
  printf("%d\n", err < 1e-10);
  double complex x[16] = {1, 2, 3, 4}, y[16] = {5, 6, 7};
  fft(x, 16, 0);
  fft(y, 16, 0);
  for (int i = 0; i < 16; i++) x[i] *= y[i];
  fft(x, 16, 1);
  for (int i = 0; i < 7; i++) printf("%.0f ", creal(x[i]) + 1e-9);
  puts("");
  uint32_t u[32] = {0}, v[32] = {0};
  for (int i = 0; i < 10; i++) u[i] = (uint32_t)i + 1, v[i] = (uint32_t)(i * i);
  ntt(u, 32, 0);
  ntt(v, 32, 0);
  for (int i = 0; i < 32; i++) u[i] = (uint32_t)((uint64_t)u[i] * v[i] % P);
  ntt(u, 32, 1);
  for (int i = 0; i < 20; i++) printf("%u ", u[i]);
  puts("");
  printf("%.9f %.9f\n", simpson(bump, -4, 4, 100), simpson(sin, 0, 2, 20));
  double r = 1;
  for (int i = 0; i < 8; i++) r -= (r * r * r - 20) / (3 * r * r);
  printf("%.12f\n", r);
  return peak;
}
