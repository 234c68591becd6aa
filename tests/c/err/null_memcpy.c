// memcpy from a null pointer: the report names the program's call
// expect: null-dereference 6
#include <string.h>

static void fill(char *to, const char *from, size_t n) {
    memcpy(to, from, n); // BUG
}

int main(void) {
    char buf[8];
    char *volatile none = NULL;
    fill(buf, "abcdefg", 8);
    fill(buf, none, 4);
    return buf[0];
}
