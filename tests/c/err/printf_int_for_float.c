// printf with an integer where its format has a floating-point number
// expect: out-of-bounds 9 contains `printf` takes a floating-point number where it was given an integer or a pointer
#include <stdio.h>

#pragma clang diagnostic ignored "-Wformat"

int main(void) {
    int count = 4;
    printf("%s has %.1f\n", "it", count); // BUG
    return 0;
}
