// printf with a floating-point number where its format has an integer
// expect: out-of-bounds 9 contains `printf` takes an integer or a pointer where it was given a floating-point number
#include <stdio.h>

#pragma clang diagnostic ignored "-Wformat"

int main(void) {
    double price = 4.5;
    printf("%d\n", price); // BUG
    return 0;
}
