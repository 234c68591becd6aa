// strncpy pads the destination with zeros up to the wrong size
// expect: out-of-bounds 9
#include <string.h>

static char name[8];

int main(void) {
    size_t n = 16;
    strncpy(name, "abc", n); // BUG
    return name[0];
}
