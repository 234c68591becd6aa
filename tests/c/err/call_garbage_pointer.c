// a call through an integer that is no function's address
// expect: crash 8
#include <stdint.h>

int main(void) {
    volatile uintptr_t address = 0x7fff12345678;
    void (*f)(void) = (void (*)(void))address;
    f(); // BUG
    return 0;
}
