// printf of characters without a terminator
// expect: out-of-bounds 9
#include <stdio.h>
#include <string.h>

int main(void) {
    char tag[4];
    memcpy(tag, "ABCD", 4);
    printf("[%s]\n", tag); // BUG
    return 0;
}
