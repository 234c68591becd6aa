// printf with fewer arguments than conversions, beyond those that travel in registers
// expect: out-of-bounds 7 contains `printf` takes more arguments than it was given (7 after the named ones)
#include <stdio.h>

int main(void) {
    double third = 1.0 / 3;
    printf("%d %d %d %d %d %d %.2f %s\n", 1, 2, 3, 4, 5, 6, third); // BUG
    return 0;
}
