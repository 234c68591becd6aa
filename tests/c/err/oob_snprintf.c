// snprintf with a size larger than the buffer
// expect: out-of-bounds 6
#include <stdio.h>

static void show(char *buf, size_t size, int value) {
    snprintf(buf, size, "value = %d", value); // BUG
}

int main(void) {
    char buf[10];
    show(buf, 32, 7);
    show(buf, 32, 42);
    return buf[0];
}
