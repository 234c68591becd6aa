// memmove reads before the start of its source
// expect: out-of-bounds 8
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = calloc(1, 16);
    memmove(a, a - 1, 8); // BUG
    free(a);
    return 0;
}
