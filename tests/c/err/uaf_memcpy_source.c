// memcpy from a freed block
// expect: use-after-free 10
#include <stdlib.h>
#include <string.h>

int main(void) {
    char out[16];
    char *block = calloc(1, 16);
    free(block);
    memcpy(out, block, sizeof out); // BUG
    return 0;
}
