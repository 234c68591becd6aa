// function pointers cast to another type and back before the call
// expect: none
#include <stdint.h>
#include <stdio.h>

typedef void (*any)(void);

static int add(int a, int b) {
    return a + b;
}

static double scale(double x) {
    return x * 1.5;
}

static const any table[2] = {(any)add, (any)scale};

int main(void) {
    printf("%d\n", ((int (*)(int, int))table[0])(3, 4));
    printf("%g\n", ((double (*)(double))table[1])(3.0));
    uintptr_t u = (uintptr_t)table[0];
    int (*f)(int, int) = (int (*)(int, int))u;
    printf("%d %d\n", f(1, 1), f == add);
    int (*g)(int, int) = *f;
    printf("%d %d\n", (**g)(2, 2), (&add == g) && table[0] != table[1]);
    return 0;
}
