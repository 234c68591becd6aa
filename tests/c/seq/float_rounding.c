// Rounding functions: floor, ceil, trunc, round, rint, lround, roundeven and kin.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double v[] = {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 1e15 + 0.5, -7.3, 7.7, 4503599627370497.5, -0.0};
  for (int i = 0; i < 12; i++) {
    double x = v[i];
    printf("%g %g %g %g %g %g %ld %lld %ld %lld\n", floor(x), ceil(x), trunc(x), round(x), rint(x), nearbyint(x),
           lround(x), llround(x), lrint(x), llrint(x));
    float f = (float)x;
    printf("%g %g %g %g %g %ld %ld\n", floorf(f), ceilf(f), truncf(f), roundf(f), rintf(f), lroundf(f), lrintf(f));
    long double l = x;
    printf("%Lg %Lg %Lg %Lg %Lg %ld %ld\n", floorl(l), ceill(l), truncl(l), roundl(l), rintl(l), lroundl(l), lrintl(l));
  }
  printf("%d\n", fegetround() == FE_TONEAREST);
  printf("%g %g\n", __builtin_roundeven(v[1]), __builtin_roundeven(v[2]));
  return (int)lround(v[9]) + 1;
}
