// a negative length is far beyond both objects; that they would overlap then is beside the point
// expect: out-of-bounds 9 contains at the start of a heap object of 10 bytes
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *to = malloc(10), *from = calloc(1, 10);
    long length = -1;
    memcpy(to, from, (size_t)length); // BUG
    free(to);
    free(from);
}
