// freed memory that a new allocation of the same size may have taken over: still an error
// expect: use-after-free 11
#include <stdlib.h>

int main(void) {
    int *old = malloc(32);
    old[0] = 1;
    free(old);
    int *new = malloc(32);
    new[0] = 2;
    int seen = old[0]; // BUG
    free(new);
    return seen;
}
