// a struct assigned from a block that is too small for it
// expect: out-of-bounds 13
#include <stdlib.h>

struct record {
    long id;
    char body[56];
};

int main(void) {
    struct record *small = calloc(1, 32);
    struct record copy;
    copy = *small; // BUG
    free(small);
    return (int)copy.id;
}
