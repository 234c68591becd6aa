// int(int) called as int(int, double)
// expect: crash 12
#include <stdint.h>

static int twice(int x) {
    return 2 * x;
}

int main(void) {
    void (*any)(void) = (void (*)(void))twice;
    int (*f)(int, double) = (int (*)(int, double))any;
    return f(3, 1.5); // BUG
}
