// printf of a freed string
// expect: use-after-free 11
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *name = malloc(8);
    strcpy(name, "gone");
    free(name);
    printf("name: %s\n", name); // BUG
    return 0;
}
