// float.h constants and floating literals in all forms.
#include <float.h>
#include <stdio.h>

int main(void) {
  printf("%d %d %d %d\n", FLT_RADIX, FLT_MANT_DIG, DBL_MANT_DIG, LDBL_MANT_DIG);
  printf("%d %d %d %d\n", FLT_DIG, DBL_DIG, LDBL_DIG, DECIMAL_DIG);
  printf("%d %d %d %d\n", FLT_MIN_EXP, FLT_MAX_EXP, DBL_MIN_EXP, DBL_MAX_EXP);
  printf("%a %a %a\n", FLT_MIN, FLT_MAX, FLT_EPSILON);
  printf("%a %a %a\n", DBL_MIN, DBL_MAX, DBL_EPSILON);
  printf("%La %La %La\n", LDBL_MIN, LDBL_MAX, LDBL_EPSILON);
  printf("%a %a %La\n", FLT_TRUE_MIN, DBL_TRUE_MIN, LDBL_TRUE_MIN);
  printf("%d\n", FLT_EVAL_METHOD);
  printf("%g %g %g %g %g\n", 1., .5, 1e3, 1.5e-3, 0x1.8p3);
  printf("%g %g %Lg %Lg\n", 1.1f, 0x.8p0f, 1.1L, 0xf.ffp-4L);
  printf("%a %a %La\n", 0.1f, 0.1, 0.1L);
  printf("%zu %zu %zu\n", sizeof 1.f, sizeof 1., sizeof 1.L);
  printf("%a\n", 123456789012345678901234567890.0);
  printf("%a\n", 2.2250738585072011e-308);
  printf("%a\n", 4.9406564584124654e-324);
  printf("%d\n", 0.1 + 0.2 == 0.3);
  volatile float tenth = 0.1f;
  volatile double dtenth = 0.1;
  printf("%d\n", tenth == dtenth);
  return FLT_DIG;
}
