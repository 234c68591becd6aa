// allocations without an end, all of them written
// expect: limit 12
// options: --memory-limit 256M
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 20, COUNT = 1024 };

static char *keep[COUNT];

int main(void) {
    for (int i = 0; i < COUNT; i++) keep[i] = memset(malloc(BLOCK), 1, BLOCK); // BUG
    return keep[0] == keep[1];
}
