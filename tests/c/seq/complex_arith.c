// _Complex arithmetic in float, double, long double, and complex.h functions.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define SHOW(z) printf("%s = %.10g %+.10gi\n", #z, (double)creal(z), (double)cimag(z))

static double complex poly(double complex z) { return z * z * z - 2 * z + (1 + 0.5 * I); }
static float complex fmulc(float complex a, float complex b) { return a * b; }
static long double complex ldivc(long double complex a, long double complex b) { return a / b; }

int main(void) {
  volatile double complex va = 3 + 4 * I, vb = 1.5 - 2 * I;
  double complex a = va, b = vb;
  SHOW(a + b);
  SHOW(a - b);
  SHOW(a * b);
  SHOW(a / b);
  SHOW(-a);
  SHOW(~a);
  SHOW(a * 2);
  SHOW(2 / a);
  SHOW(a + 1.0f);
  SHOW(poly(a));
  printf("%.10g %.10g %.10g\n", cabs(a), carg(a), creal(conj(a) * a));
  SHOW(csqrt(a));
  SHOW(cexp(b));
  SHOW(clog(a));
  SHOW(cpow(a, 0.5));
  SHOW(csin(b));
  SHOW(ccosh(b));
  printf("%d %d %d\n", a == b, a != b, a == 3 + 4 * I);
  volatile float complex f = 1.5f + 0.25f * I;
  float complex g = fmulc(f, f + 1);
  printf("%a %a\n", crealf(g), cimagf(g));
  volatile long double complex l = 1 + 3.0L * I;
  long double complex m = ldivc(l, 2 - 1.0L * I);
  printf("%.18Lg %.18Lg\n", creall(m), cimagl(m));
  __real__ a = 10;
  __imag__ a += 0.5;
  SHOW(a);
  double complex arr[4] = {1, I, -1, -I}, sum = 0;
  for (int i = 0; i < 4; i++) sum += arr[i] * (i + 1);
  SHOW(sum);
  volatile double complex w = INFINITY + 1.0 * I;
  double complex p = w * (0.0 + 1.0 * I);
  printf("%d %d\n", isinf(creal(p)) || isinf(cimag(p)), isnan(creal(w)));
  a *= b;
  a /= 2;
  a += I;
  SHOW(a);
  double d = (double)a;
  int t = (int)(creal(a));
  printf("%.10g %d %d\n", d, t, (_Bool)(0.0 + 1.0 * I));
  printf("%zu %zu %zu\n", sizeof(float complex), sizeof(double complex), sizeof(long double complex));
  return t;
}
