// the block that realloc returned is never freed
// expect: leak 8
// options: --leaks
#include <stdlib.h>

static void fill(void) {
    char *p = malloc(4);
    p = realloc(p, 4000); // BUG
    p[3999] = 1;
}

int main(void) {
    fill();
    return 0;
}
