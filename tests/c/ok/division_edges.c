// divisions that look dangerous and are not
// expect: none
#include <limits.h>
#include <stdio.h>

int main(void) {
    volatile int min = INT_MIN, one = 1, minus = -1, zero = 0;
    volatile long big = LONG_MIN;
    volatile double fzero = 0.0;
    printf("%d %d\n", min / one, min % one);
    printf("%d %d\n", (min + 1) / minus, zero / minus);
    printf("%ld\n", big / 2 / minus);
    printf("%ld\n", (long)min / minus);
    printf("%d %d\n", 1.0 / fzero > 1e308, zero && one / zero);
    printf("%u\n", (unsigned)min / (unsigned)minus);
    return 0;
}
