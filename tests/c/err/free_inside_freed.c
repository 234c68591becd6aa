// free of a pointer into a heap object that has been freed
// expect: invalid-free 7 contains 4 bytes into a heap object of 10 bytes, which is gone
#include <stdlib.h>
int main(void) {
    char *block = malloc(10);
    free(block);
    free(block + 4); // BUG
    return 0;
}
