// a long read from a block of four bytes
// expect: out-of-bounds 8
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    long v = *(long *)(void *)p; // BUG
    free(p);
    return (int)v;
}
