// the classic missing byte for the terminator
// expect: out-of-bounds 11
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *text = "twelve chars";
    size_t n = strlen(text);
    char *copy = malloc(n);
    memcpy(copy, text, n);
    copy[n] = '\0'; // BUG
    free(copy);
    return 0;
}
