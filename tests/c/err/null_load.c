// read through a null pointer
// expect: null-dereference 7
#include <stdio.h>

int main(void) {
    int *p = NULL;
    int x = *p; // BUG
    printf("%d\n", x);
    return 0;
}
