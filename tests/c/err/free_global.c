// free of a global object
// expect: invalid-free 10
#include <stdlib.h>

static int storage[4];
static int *current = storage;

int main(void) {
    current[0] = 1;
    free(current); // BUG
    return 0;
}
