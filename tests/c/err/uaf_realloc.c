// the old pointer used after realloc moved the object
// expect: use-after-free 9
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    a[0] = 1;
    int *b = realloc(a, 100000 * sizeof *b);
    int first = a[0]; // BUG
    free(b);
    return first;
}
