// a struct allocated with the size of its pointer: the last field is outside
// expect: out-of-bounds 12
#include <stdlib.h>

struct point {
    double x, y, z;
};

int main(void) {
    struct point *p = malloc(sizeof p);
    p->x = 1.0;
    p->z = 3.0; // BUG
    free(p);
    return 0;
}
