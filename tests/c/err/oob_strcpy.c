// strcpy into a buffer that is too small
// expect: out-of-bounds 8
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *s) {
    char *p = malloc(8);
    strcpy(p, s); // BUG
    return p;
}

int main(void) {
    char *a = copy_of("seven c");
    char *b = copy_of("eight ch");
    int r = a[0] + b[0];
    free(a);
    free(b);
    return r;
}
