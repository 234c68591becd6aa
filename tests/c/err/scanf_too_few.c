// what the system's headers rename is told by the name that the program uses
// expect: out-of-bounds 7 contains : `sscanf` takes more arguments than it was given (1 after the named ones)
#include <stdio.h>

int main(void) {
    int a = 0;
    return sscanf("7 8", "%d %d", &a); // BUG
}
