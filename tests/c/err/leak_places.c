// memory that is lost in several places, which are all listed, most bytes first
// expect: leak 14 contains 300 bytes in 3 objects allocated at contains 4 bytes allocated at contains `fill`
// options: --leaks
#include <stdlib.h>
#include <string.h>

static void fill(void) {
    char *text = strdup("abc");
    text[0] = 'x';
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        void *block = calloc(10, 10); // BUG
        memset(block, i, 10);
    }
    fill();
    return 0;
}
