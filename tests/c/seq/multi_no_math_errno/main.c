// -fno-math-errno: math functions as intrinsics (sqrt, floor, fma, pow, fabs, copysign, fmin …).
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double v[] = {0.25, -1.5, 2.0, 10.75, -0.0, 1e300};
  for (int i = 0; i < 6; i++) {
    double x = v[i], a = fabs(x);
    printf("%a %a %a %a %a %a\n", sqrt(a), floor(x), ceil(x), trunc(x), rint(x), nearbyint(x));
    printf("%a %a %a %a %a\n", round(x), copysign(3, x), fmin(x, 1), fmax(x, 1), fma(x, 2, 1));
    printf("%.10g %.10g %.10g %.10g\n", sin(a < 100 ? x : 1), cos(a < 100 ? x : 1), exp(a < 100 ? x : 1), log(a + 1));
    printf("%.10g %.10g %.10g %.10g\n", pow(a + 1, 0.5), exp2(a < 100 ? x : 1), log2(a + 1), log10(a + 1));
    float f = (float)(a < 1e30 ? x : 2);
    printf("%a %a %a %a\n", sqrtf(fabsf(f)), floorf(f), copysignf(2, f), fminf(f, 1));
    long double l = x;
    printf("%La %La %La\n", sqrtl(fabsl(l)), floorl(l), copysignl(2, l));
    if (a < 1e9) printf("%ld %ld %lld\n", lround(x), lrint(x), llround(x));
    printf("%a\n", ldexp(x, 3));
  }
  printf("%d\n", isnan(sqrt(v[1])) != 0);
  return 6;
}
