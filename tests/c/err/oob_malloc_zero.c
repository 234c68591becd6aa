// a byte written to a block of size 0
// expect: out-of-bounds 11
#include <stdlib.h>

static char *buffer(size_t n) {
    return malloc(n);
}

int main(void) {
    char *p = buffer(0);
    p[0] = 1; // BUG
    free(p);
    return 0;
}
