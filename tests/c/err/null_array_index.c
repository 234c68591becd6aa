// a null array indexed with a large index: still a null pointer, not some other object
// expect: null-dereference 8
#include <stddef.h>

static long *table;

int main(void) {
    return (int)table[1000]; // BUG
}
