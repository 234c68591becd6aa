// malloc'ed memory is not zero
// expect: uninitialised-read 8
#include <stdlib.h>

int main(void) {
    int *count = malloc(sizeof *count);
    ++*count;
    if (*count == 1) // BUG
        *count = 0;
    free(count);
    return 0;
}
