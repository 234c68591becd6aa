// the library reads freed memory: the report names the program's call
// expect: use-after-free 10
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *a = malloc(16);
    strcpy(a, "hello");
    free(a);
    return strcmp(a, "hello"); // BUG
}
