// what was never set is called by its name, even where something was computed from it
// expect: uninitialised-read 13 contains `point.y` was never set: the library function `printf` depends on it
#include <stdio.h>

struct point {
    int x, y;
};

int main(int argc, char **argv) {
    (void)argv;
    struct point point;
    point.x = argc;
    printf("%d %d\n", argc, point.x + 2 * point.y); // BUG
    return 0;
}
