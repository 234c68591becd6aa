// free of an argument of the program
// expect: invalid-free 7 contains `free` needs the start of a heap object, but this is `argv[0]`
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argc;
    free(argv[0]); // BUG
    return 0;
}
