// a sum is set, but what was added to it was not
// expect: uninitialised-read 9 contains `sum` was computed from something that was never set
#include <stdio.h>

int main(void) {
    int sum = 0, parts[4] = {[0] = 1}, more[3];
    for (int i = 0; i < 3; i++)
        sum += parts[i] + more[i];
    printf("%d\n", sum); // BUG
}
