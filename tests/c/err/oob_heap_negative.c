// read before the start of a heap array
// expect: out-of-bounds 8
#include <stdlib.h>

int main(void) {
    int *a = calloc(8, sizeof *a);
    int i = 7;
    while (a[i] == 0) // BUG
        i--;
    free(a);
    return i;
}
