// free of an address that never was an object
// expect: invalid-free 7
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    free((void *)(uintptr_t)0x12345670); // BUG
    return 0;
}
