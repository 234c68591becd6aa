// a*b+c must be rounded twice (no fusing), fma() once.
#include <math.h>
#include <stdio.h>

static double mul_add(double a, double b, double c) { return a * b + c; }
static float mul_addf(float a, float b, float c) { return a * b + c; }
static double mul_sub(double a, double b, double c) { return a * b - c; }

int main(void) {
  volatile double e = 0x1p-30, one = 1;
  double a = one + e, b = one - e;
  printf("%a %a\n", mul_add(a, b, -one), fma(a, b, -one));
  printf("%a %a\n", mul_add(a, a, -one), fma(a, a, -one));
  printf("%a %a\n", mul_sub(b, b, one), fma(b, b, -one));
  volatile float ef = 0x1p-13f, onef = 1;
  float af = onef + ef, bf = onef - ef;
  printf("%a %a\n", mul_addf(af, bf, -onef), fmaf(af, bf, -onef));
  volatile double x = 0.1;
  double r = x * 10 - 1;
  printf("%a %a\n", r, fma(x, 10, -one));
  double dot = 0;
  volatile double v[8] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  for (int i = 0; i < 8; i++) dot += v[i] * v[7 - i];
  printf("%a\n", dot);
  double poly = 0;
  for (int i = 0; i < 8; i++) poly = poly * x + v[i];
  printf("%a\n", poly);
  volatile long double la = 1 + 0x1p-40L;
  printf("%La %La\n", la * la - 1, fmal(la, la, -1));
  return 0;
}
