// read one element beyond a heap array
// expect: out-of-bounds 11
#include <stdlib.h>

int main(void) {
    int n = 5, sum = 0;
    int *a = malloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    for (int i = 0; i <= n; i++)
        sum += a[i]; // BUG
    free(a);
    return sum;
}
