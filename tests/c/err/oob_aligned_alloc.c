// one byte beyond a block of aligned_alloc
// expect: out-of-bounds 8
#include <stdlib.h>

int main(void) {
    unsigned char *p = aligned_alloc(64, 64);
    for (int i = 0; i <= 64; i++)
        p[i] = (unsigned char)i; // BUG
    free(p);
    return 0;
}
