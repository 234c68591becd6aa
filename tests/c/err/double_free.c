// the same pointer freed twice
// expect: double-free 6
#include <stdlib.h>

static void release(void *p) {
    free(p); // BUG
}

int main(void) {
    char *a = malloc(10);
    char *b = malloc(10);
    release(a);
    release(b);
    release(a);
    return 0;
}
