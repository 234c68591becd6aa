// a pointer to a local variable after the end of its block
// expect: use-after-free 13 contains local variable `total` of `main` whose block has ended
#include <stdio.h>

int main(void) {
    const int *kept;
    {
        int total = 0;
        for (int i = 0; i < 5; i++)
            total += i;
        kept = &total;
    }
    printf("%d\n", *kept); // BUG
    return 0;
}
