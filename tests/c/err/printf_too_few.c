// printf with fewer arguments than conversions
// expect: out-of-bounds 6 contains `printf` takes more arguments than it was given (1 after the named ones)
#include <stdio.h>

int main(void) {
    printf("%d of %d\n", 3); // BUG
    return 0;
}
