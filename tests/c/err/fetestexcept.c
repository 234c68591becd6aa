// what arithmetic raises is not recorded: the question is refused, not answered wrongly
// expect: unsupported 11 contains fetestexcept
#include <fenv.h>
#include <stdio.h>

int main(void) {
    volatile double zero = 0;
    feraiseexcept(FE_OVERFLOW);
    printf("%d\n", fetestexcept(FE_OVERFLOW) == FE_OVERFLOW);
    double quotient = 1 / zero;
    printf("%d %f\n", fetestexcept(FE_DIVBYZERO) != 0, quotient); // BUG
    return 0;
}
