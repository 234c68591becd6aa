// a variadic function of the program that is told of more arguments than there are
// expect: out-of-bounds 10 contains `largest` takes more arguments than it was given (2 after the named ones)
#include <stdarg.h>

static int largest(int count, ...) {
    int best = 0;
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        int value = va_arg(list, int); // BUG
        if (value > best)
            best = value;
    }
    va_end(list);
    return best;
}

int main(void) {
    return largest(3, 5, 4) != 5;
}
