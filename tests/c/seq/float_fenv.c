// The floating environment: rounding modes and exception flags under FENV_ACCESS.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

static int raised(void) {
  int e = fetestexcept(FE_ALL_EXCEPT);
  feclearexcept(FE_ALL_EXCEPT);
  return !!(e & FE_INEXACT) | !!(e & FE_DIVBYZERO) << 1 | !!(e & FE_OVERFLOW) << 2 | !!(e & FE_UNDERFLOW) << 3 | !!(e & FE_INVALID) << 4;
}

int main(void) {
  static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  volatile double one = 1, three = 3, x = 2.5, y = -2.5, big = 1e308, zero = 0, tiny = 1e-308;
  volatile float f = 0.1f;
  for (int i = 0; i < 4; i++) {
    if (fesetround(modes[i])) return 1;
    volatile double q = one / three, m = -one / three, s = one + 0x1p-60;
    volatile float g = f * f, n = (float)q;
    double r1 = rint(x), r2 = rint(y), r3 = nearbyint(x);
    long l = lrint(x);
    fesetround(FE_TONEAREST);
    printf("%a %a %a %a %a %g %g %g %ld\n", q, m, s, g, n, r1, r2, r3, l);
  }
  feclearexcept(FE_ALL_EXCEPT);
  volatile double r;
  r = one + one;
  printf("%d ", raised());
  r = one / three;
  printf("%d ", raised());
  r = one / zero;
  printf("%d ", raised());
  r = big * big;
  printf("%d ", raised());
  r = tiny * tiny;
  printf("%d ", raised());
  r = zero / zero;
  printf("%d\n", raised());
  feraiseexcept(FE_OVERFLOW);
  printf("%d\n", !!fetestexcept(FE_OVERFLOW));
  fenv_t env;
  feholdexcept(&env);
  printf("%d\n", fetestexcept(FE_ALL_EXCEPT));
  fesetenv(&env);
  printf("%d %d\n", !!fetestexcept(FE_OVERFLOW), fegetround() == FE_TONEAREST);
  (void)r;
  return 5;
}
