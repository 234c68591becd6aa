// the part that realloc added is not set
// expect: uninitialised-read 10
#include <stdlib.h>

int main(void) {
    int *a = calloc(4, sizeof *a);
    a = realloc(a, 8 * sizeof *a);
    int zeros = 0;
    for (int i = 0; i < 8; i++)
        if (a[i] == 0) // BUG
            zeros++;
    free(a);
    return zeros;
}
