// free of a local array
// expect: invalid-free 6
#include <stdlib.h>

static void cleanup(char *p) {
    free(p); // BUG
}

int main(void) {
    char buf[32];
    cleanup(buf);
    return 0;
}
