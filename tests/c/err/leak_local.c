// a block whose pointer was a local of a function that returned
// expect: leak 7
// options: --leaks
#include <stdlib.h>

static int sum(int n) {
    int *a = calloc((size_t)n, sizeof *a); // BUG
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

int main(void) {
    return sum(4);
}
