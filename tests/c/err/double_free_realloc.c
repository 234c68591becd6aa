// realloc frees the old block; freeing it again is an error
// expect: double-free 8
#include <stdlib.h>

int main(void) {
    char *a = malloc(8);
    char *b = realloc(a, 4096);
    free(a); // BUG
    free(b);
    return 0;
}
