// an atomic counter beyond the end of an array of atomics
// expect: out-of-bounds 8 object hits
#include <stdatomic.h>

static atomic_int hits[4];

static void count(int value) {
    atomic_fetch_add(&hits[value / 10], 1); // BUG
}

int main(void) {
    for (int v = 5; v < 50; v += 10)
        count(v);
    return 0;
}
