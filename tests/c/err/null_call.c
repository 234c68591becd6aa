// call through a null function pointer
// expect: null-dereference 16
#include <stddef.h>

typedef int (*op)(int);

static int twice(int x) {
    return 2 * x;
}

static op table[3] = {twice, NULL, twice};

int main(void) {
    int x = 1;
    for (int i = 0; i < 3; i++)
        x = table[i](x); // BUG
    return x;
}
