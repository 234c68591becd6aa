// sprintf writes more digits than the buffer holds
// expect: out-of-bounds 9
#include <stdio.h>

static char id[6];

int main(void) {
    for (int n = 9999; n < 1000000; n = n * 10 + 9)
        sprintf(id, "%d", n); // BUG
    return id[0];
}
