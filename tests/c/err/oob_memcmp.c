// memcmp compares beyond the shorter of two equal blocks
// expect: out-of-bounds 8
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = calloc(1, 8), *b = calloc(1, 12);
    int same = memcmp(a, b, 12); // BUG
    free(a);
    free(b);
    return same;
}
