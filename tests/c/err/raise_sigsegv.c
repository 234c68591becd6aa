// a raised signal with its default action
// expect: crash 6
#include <signal.h>

int main(void) {
    raise(SIGSEGV); // BUG
    return 0;
}
