// a variable-length array of a negative size
// expect: out-of-bounds 6 contains the array `cells` would have -2 elements
#include <string.h>

static int sum(int n) {
    int cells[n]; // BUG
    memset(cells, 0, sizeof cells);
    return cells[0];
}

int main(void) {
    return sum(3) + sum(-2);
}
