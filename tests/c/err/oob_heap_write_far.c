// write far beyond a heap object: not mistaken for another object
// expect: out-of-bounds 8
#include <stdlib.h>

int main(void) {
    char *a = malloc(16);
    char *b = malloc(1 << 20);
    a[200] = 1; // BUG
    free(a);
    free(b);
    return 0;
}
