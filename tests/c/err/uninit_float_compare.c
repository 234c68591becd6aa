// a comparison of an uninitialised double
// expect: uninitialised-read 10
#include <stdlib.h>

int main(void) {
    double *d = malloc(2 * sizeof *d);
    d[0] = 1.0;
    double mean = (d[0] + d[1]) / 2;
    free(d);
    if (mean > 1.0) // BUG
        return 1;
    return 0;
}
