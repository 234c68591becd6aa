// goto back before a declaration within its block: the variable lives as long as the block does
// expect: none
#include <stdio.h>

int main(void) {
    int n = 0;
    int *kept = NULL;
again:;
    if (kept)
        printf("%d\n", *kept);
    int number = n++;
    kept = &number;
    if (n < 4)
        goto again;
    return number - 3;
}
