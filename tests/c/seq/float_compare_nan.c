// Floating comparisons with NaN, infinities and zeros; the unordered predicates.
#include <math.h>
#include <stdio.h>

static unsigned cmp_d(double a, double b) {
  unsigned r = 0;
  if (a < b) r |= 1;
  if (a <= b) r |= 2;
  if (a > b) r |= 4;
  if (a >= b) r |= 8;
  if (a == b) r |= 16;
  if (a != b) r |= 32;
  if (!(a < b)) r |= 64;
  if (!(a > b)) r |= 128;
  if (isunordered(a, b)) r |= 256;
  if (islessgreater(a, b)) r |= 512;
  if (isless(a, b)) r |= 1024;
  if (isgreaterequal(a, b)) r |= 2048;
  return r;
}
static unsigned cmp_f(float a, float b) {
  return (unsigned)(a < b) | (unsigned)(a <= b) << 1 | (unsigned)(a == b) << 2 | (unsigned)(a != b) << 3 |
         (unsigned)!(a >= b) << 4 | (unsigned)!(a <= b) << 5;
}
static unsigned cmp_l(long double a, long double b) {
  return (unsigned)(a < b) | (unsigned)(a <= b) << 1 | (unsigned)(a == b) << 2 | (unsigned)(a != b) << 3 |
         (unsigned)!(a >= b) << 4 | (unsigned)!(a <= b) << 5;
}

int main(void) {
  volatile double v[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e-320};
  int truth = 0;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      printf("%03x.%02x.%02x%c", cmp_d(v[i], v[j]), cmp_f((float)v[i], (float)v[j]),
             cmp_l((long double)v[i], (long double)v[j]), j == 7 ? '\n' : ' ');
      truth += (v[i] && v[j]) + (!v[i] || v[j]);
    }
  printf("%d\n", truth);
  for (int i = 0; i < 8; i++) {
    double x = v[i];
    printf("%d%d%d%d%d ", !!isnan(x), !!isinf(x), !!isfinite(x), !!isnormal(x), !!signbit(x));
  }
  puts("");
  for (int i = 0; i < 8; i++) {
    int c = fpclassify(v[i]);
    printf("%c", c == FP_NAN ? 'N' : c == FP_INFINITE ? 'I' : c == FP_ZERO ? 'Z' : c == FP_SUBNORMAL ? 'S' : 'n');
  }
  puts("");
  double best = NAN;
  for (int i = 0; i < 8; i++) best = v[i] > best ? v[i] : best;
  printf("%d\n", !!isnan(best));
  for (int i = 0; i < 8; i++) best = best > v[i] ? best : v[i];
  printf("%g\n", best);
  return truth;
}
