// a variable of a loop's body that is set in the first round only
// expect: uninitialised-read 10 contains a branch depends on it
#include <stdio.h>

int main(void) {
    for (int i = 0; i < 3; i++) {
        int best;
        if (i == 0)
            best = 7;
        if (best > 3) // BUG
            printf("%d\n", i);
    }
    return 0;
}
