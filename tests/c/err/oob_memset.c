// memset with the size of another type
// expect: out-of-bounds 9
#include <stdlib.h>
#include <string.h>

int main(void) {
    int *a = malloc(10 * sizeof(short));
    size_t n = 10 * sizeof(int);
    memset(a, 0, n); // BUG
    free(a);
    return 0;
}
