// LONG_MIN % -1 traps on x86-64
// expect: crash 7
#include <limits.h>

int main(void) {
    volatile long a = LONG_MIN, b = -1;
    long r = a % b; // BUG
    return r != 0;
}
