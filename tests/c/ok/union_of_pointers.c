// a union of pointer types and integers, read as what was written
// expect: none
#include <stdint.h>
#include <stdio.h>

union handle {
    int *i;
    double *d;
    uintptr_t raw;
    unsigned char bytes[sizeof(void *)];
};

int main(void) {
    int i = 3;
    double d = 2.5;
    union handle h[2] = {{.i = &i}, {.d = &d}};
    *h[0].i += 1;
    *h[1].d *= 2;
    printf("%d %g\n", i, d);
    h[0].raw += 0;
    printf("%d\n", *h[0].i);
    unsigned x = 0;
    for (size_t k = 0; k < sizeof(void *); k++)
        x |= h[1].bytes[k];
    printf("%d\n", x != 0);
    return 0;
}
