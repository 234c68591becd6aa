// Floating loops sensitive to evaluation order and width: Kahan sums, series, ODE steps, roots, float counters.
#include <math.h>
#include <stdio.h>

static double kahan(const double *v, int n) {
  double s = 0, c = 0;
  for (int i = 0; i < n; i++) {
    double y = v[i] - c, t = s + y;
    c = (t - s) - y;
    s = t;
  }
  return s;
}
static void rk4(double *x, double *v, double h) {
  double k[4][2], a = *x, b = *v;
  for (int i = 0; i < 4; i++) {
    double f = i == 0 ? 0 : i == 3 ? h : h / 2;
    double px = a + (i ? f * k[i - 1][0] : 0), pv = b + (i ? f * k[i - 1][1] : 0);
    k[i][0] = pv;
    k[i][1] = -px - 0.1 * pv;
  }
  *x += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
  *v += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
}
static double bisect(double lo, double hi) {
  for (int i = 0; i < 60; i++) {
    double m = (lo + hi) / 2;
    if (m * m * m - m - 2 > 0) hi = m;
    else lo = m;
  }
  return lo;
}

int main(void) {
  double v[500], naive = 0;
  float fs = 0;
  long double ls = 0;
  for (int i = 0; i < 500; i++) {
    v[i] = 1.0 / (i + 1) * (i % 3 ? 1 : 1e8);
    naive += v[i];
    fs += (float)v[i];
    ls += v[i];
  }
  printf("%a %a %a %La\n", naive, kahan(v, 500), fs, ls);
  double x = 1, w = 0;
  for (int i = 0; i < 200; i++) rk4(&x, &w, 0.05);
  printf("%a %a\n", x, w);
  printf("%a\n", bisect(1, 2));
  double pi = 0;
  for (int k = 0; k < 12; k++) pi += 1 / pow(16, k) * (4.0 / (8 * k + 1) - 2.0 / (8 * k + 4) - 1.0 / (8 * k + 5) - 1.0 / (8 * k + 6));
  printf("%.15f\n", pi);
  int n = 0;
  for (float f = 0; f < 1; f += 0.1f) n++;
  int m = 0;
  for (double d = 0; d != 1 && m < 20; d += 0.1) m++;
  printf("%d %d\n", n, m);
  float eps = 1;
  while (1 + eps / 2 > 1) eps /= 2;
  double de = 1;
  while ((double)(1 + de / 2) > 1) de /= 2;
  printf("%a %a\n", eps, de);
  double a = 1, g = 1 / sqrt(2), t = 0.25, p = 1;
  for (int i = 0; i < 5; i++) {
    double an = (a + g) / 2, d = a - an;
    g = sqrt(a * g);
    t -= p * d * d;
    a = an;
    p *= 2;
  }
  printf("%.14f\n", (a + g) * (a + g) / (4 * t));
  float poly = 0;
  const float co[] = {1.5f, -2.25f, 0.125f, 3};
  for (int i = 0; i < 4; i++) poly = poly * 1.1f + co[i];
  printf("%a\n", poly);
  double logistic = 0.5;
  for (int i = 0; i < 1000; i++) logistic = 3.9 * logistic * (1 - logistic);
  printf("%a\n", logistic);
  return n;
}
