// a pointer aligned by hand is freed instead of the one that malloc gave
// expect: invalid-free 10
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *raw = malloc(256);
    char *aligned = (char *)(((uintptr_t)raw + 64) & ~(uintptr_t)63);
    aligned[0] = 1;
    free(aligned); // BUG
    return 0;
}
