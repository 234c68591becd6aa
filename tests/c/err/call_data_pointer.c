// a call through a pointer to data
// expect: crash 9
#include <stdint.h>

static int not_code[4] = {1, 2, 3, 4};

int main(void) {
    int (*f)(void) = (int (*)(void))(uintptr_t)not_code;
    return f(); // BUG
}
