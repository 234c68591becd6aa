// a structure is taken that was not given: the line that takes it
// expect: out-of-bounds 11 contains `total` takes more arguments than it was given (1 after the named ones)
#include <stdarg.h>
struct pair { int first, second; };

static int total(int count, ...) {
    va_list list;
    va_start(list, count);
    int sum = 0;
    for (int i = 0; i < count; i++) {
        struct pair pair = va_arg(list, struct pair); // BUG
        sum += pair.first * pair.second;
    }
    va_end(list);
    return sum;
}

int main(void) {
    return total(2, (struct pair){3, 4});
}
