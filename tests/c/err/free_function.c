// free of a function's address
// expect: invalid-free 10
#include <stdint.h>
#include <stdlib.h>

static void nothing(void) {
}

int main(void) {
    free((void *)(uintptr_t)nothing); // BUG
    return 0;
}
