// free of a string literal
// expect: invalid-free 7
#include <stdlib.h>

int main(void) {
    const char *name = "constant";
    free((void *)name); // BUG
    return 0;
}
