// write to freed memory
// expect: use-after-free 9
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    int *q = p;
    free(p);
    *q = 5; // BUG
    return 0;
}
