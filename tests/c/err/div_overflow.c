// INT_MIN / -1 traps on x86-64
// expect: crash 7
#include <limits.h>

int main(void) {
    volatile int a = INT_MIN, b = -1;
    int q = a / b; // BUG
    return q != 0;
}
