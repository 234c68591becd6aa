// a floating-point number is taken where an integer was given, and the list is never ended
// expect: out-of-bounds 8 contains takes a floating-point number where it was given an integer or a pointer
#include <stdarg.h>

static int is_large(int count, ...) {
    va_list list;
    va_start(list, count);
    return va_arg(list, double) > 1; // BUG
}

int main(void) {
    return is_large(1, 5);
}
