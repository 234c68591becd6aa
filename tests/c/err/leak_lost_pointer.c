// the only pointer to a block is overwritten
// expect: leak 8
// options: --leaks
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *s = malloc(8); // BUG
    strcpy(s, "lost");
    s = malloc(8);
    strcpy(s, "kept");
    free(s);
    return 0;
}
