// empty inline assembly as a barrier for the compiler is no code
// expect: none
#include <stdio.h>

int main(void) {
    int x = 1;
    __asm__ volatile("" ::: "memory");
    x += 2;
    __asm__ volatile("" ::: "memory");
    printf("%d\n", x);
    return 0;
}
