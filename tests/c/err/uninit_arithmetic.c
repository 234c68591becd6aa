// an uninitialised value goes through arithmetic, memory and calls before a branch depends on it
// expect: uninitialised-read 17
#include <stdlib.h>
#include <string.h>

static long mix(long a, long b) {
    return a * 3 + (b ^ 5);
}

int main(void) {
    long *a = malloc(2 * sizeof *a);
    a[0] = 4;
    long b[2];
    memcpy(b, a, sizeof b);
    long sum = mix(b[0], b[1]);
    free(a);
    if (sum == 12) // BUG
        return 1;
    return 0;
}
