// what `alloca` gives has no name of its own, whatever points to it
// expect: out-of-bounds 10 contains memory from `alloca` of 4 bytes contains was made at
#include <alloca.h>
#include <string.h>

int main(int argc, char **argv) {
    (void)argv;
    char *bytes = alloca((unsigned)argc + 3);
    memset(bytes, 1, (unsigned)argc + 3);
    return bytes[argc + 3]; // BUG
}
