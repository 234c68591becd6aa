// free of a pointer into the middle of a heap object
// expect: invalid-free 10 contains 4 bytes into a heap object of 16 bytes
#include <stdlib.h>

int main(void) {
    char *text = malloc(16);
    char *p = text;
    for (int i = 0; i < 4; i++)
        *p++ = ' ';
    free(p); // BUG
    return 0;
}
