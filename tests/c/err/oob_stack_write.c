// write beyond a local array
// expect: out-of-bounds 8 object squares
#include <stdio.h>

int main(void) {
    int squares[10];
    for (int i = 1; i <= 10; i++)
        squares[i] = i * i; // BUG
    printf("%d\n", squares[9]);
    return 0;
}
