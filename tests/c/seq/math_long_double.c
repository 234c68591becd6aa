// math.h long double and float variants.
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile long double v[] = {0.25L, 1.0L, 2.75L, 7.5L};
  for (int i = 0; i < 4; i++) {
    long double x = v[i];
    printf("%.15Lg %.15Lg %.15Lg\n", sinl(x), cosl(x), tanl(x));
    printf("%.15Lg %.15Lg %.15Lg %.15Lg\n", asinl(x / 8), acosl(x / 8), atanl(x), atan2l(x, -2));
    printf("%.15Lg %.15Lg %.15Lg\n", sinhl(x), coshl(x), tanhl(x));
    printf("%.15Lg %.15Lg %.15Lg\n", expl(x), exp2l(x), expm1l(x));
    printf("%.15Lg %.15Lg %.15Lg %.15Lg\n", logl(x), log2l(x), log10l(x), log1pl(x));
    printf("%.15Lg %.15Lg %.18Lg\n", powl(x, 3.5L), powl(x, -0.5L), sqrtl(x));
    printf("%.15Lg %.15Lg %.15Lg\n", cbrtl(x), hypotl(x, 4), erfl(x));
    printf("%.13Lg %.13Lg\n", tgammal(x), lgammal(x));
    float f = (float)x;
    printf("%.5g %.5g %.5g %.5g\n", sinf(f), cosf(f), expf(f), logf(f));
    printf("%.5g %.5g %.8g %.5g\n", powf(f, 1.5f), tanf(f), sqrtf(f), atanf(f));
    printf("%.5g %.5g %.5g %.5g\n", cbrtf(f), hypotf(f, 1), erff(f), tgammaf(f));
    printf("%.5g %.5g %.5g %.5g\n", sinhf(f), log10f(f), exp2f(f), atan2f(f, -1));
    printf("%Lg %Lg %Lg %Lg\n", fminl(x, 2), fmaxl(x, 2), fabsl(-x), fdiml(x, 2));
  }
  printf("%.18Lg %.18Lg\n", acosl(-v[1]), expl(v[1]));
  return 0;
}
