// an argument is taken that was not given, and never looked at
// expect: out-of-bounds 8 contains `last` takes more arguments than it was given (2 after the named ones)
#include <stdarg.h>

static int last(int count, ...) {
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++) va_arg(list, int); // BUG
    va_end(list);
    return count;
}

int main(void) {
    return last(3, 1, 2);
}
