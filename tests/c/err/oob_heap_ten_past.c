// how far off an access is, where the number ends in a zero
// expect: out-of-bounds 6 contains read of 1 byte, 10 bytes past the end of a heap object of 1 byte
#include <stdlib.h>
int main(void) {
    char *c = calloc(1, 1);
    int read = c[11]; // BUG
    free(c);
    return read;
}
