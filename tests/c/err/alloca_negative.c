// alloca of a negative size
// expect: out-of-bounds 6 contains memory from `alloca` would have -4 bytes
#include <alloca.h>

int main(int argc, char **argv) {
    char *cells = alloca((argc - 5) * (argv != 0)); // BUG
    cells[0] = 1;
    return cells[0];
}
