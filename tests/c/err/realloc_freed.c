// realloc of a block that was freed
// expect: double-free 8
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    free(a);
    a = realloc(a, 8 * sizeof *a); // BUG
    free(a);
    return 0;
}
