// printf with an integer where its format has a string
// expect: null-dereference 9 contains through the address 0x2a, near null (in `printf`)
#include <stdio.h>

#pragma clang diagnostic ignored "-Wformat"

int main(void) {
    int count = 42;
    printf("%s\n", count); // BUG
    return 0;
}
