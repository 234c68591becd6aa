// Floating builtins: isnan, isinf, isfinite, isnormal, fpclassify, signbit, huge_val, nan payloads, nextafter.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CLASS(x) __builtin_fpclassify(0, 1, 2, 3, 4, x)

static uint64_t bits(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}

int main(void) {
  volatile double v[] = {0.0, -0.0, 1.0, -1e-310, INFINITY, -INFINITY, NAN, 1e308};
  for (int i = 0; i < 8; i++) {
    double x = v[i];
    float f = (float)x;
    long double l = x;
    printf("%d%d%d%d%d%d ", !!__builtin_isnan(x), !!__builtin_isinf(x), !!__builtin_isfinite(x), !!__builtin_isnormal(x), !!__builtin_signbit(x), CLASS(x));
    printf("%d%d%d%d%d%d ", !!__builtin_isnan(f), !!__builtin_isinf(f), !!__builtin_isfinite(f), !!__builtin_isnormal(f), !!__builtin_signbitf(f), CLASS(f));
    printf("%d%d%d%d%d%d ", !!__builtin_isnan(l), !!__builtin_isinf(l), !!__builtin_isfinite(l), !!__builtin_isnormal(l), !!__builtin_signbitl(l), CLASS(l));
    printf("%d\n", __builtin_isinf_sign(x));
  }
  printf("%d %d %d\n", __builtin_isless(v[2], v[4]), __builtin_isgreaterequal(v[6], v[2]), __builtin_isunordered(v[6], v[2]));
  printf("%016lx %016lx %016lx\n", bits(__builtin_huge_val()), bits(__builtin_nan("0x123")), bits(__builtin_nans("7")));
  printf("%a %a %a\n", __builtin_fabs(v[3]), __builtin_copysign(v[2], v[1]), __builtin_fmax(v[6], v[2]));
  printf("%g %g %g\n", __builtin_powi(v[2] + 1, 10), __builtin_powi(v[2] + 1, -3), __builtin_sqrt(v[2] * 2));
  printf("%a %a\n", __builtin_floor(v[3]), __builtin_trunc(v[7]));
  printf("%d\n", (int)__builtin_lround(v[2] * 2.5));
  return CLASS(v[3]);
}
