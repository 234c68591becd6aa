// realloc of a local array
// expect: invalid-free 6
#include <stdlib.h>

static char *grow(char *p, size_t n) {
    return realloc(p, n); // BUG
}

int main(void) {
    char small[4];
    char *p = grow(small, 64);
    free(p);
    return 0;
}
