// longjmp with a buffer that setjmp has never filled
// expect: crash 8 contains a buffer that setjmp has not filled
#include <setjmp.h>

static jmp_buf env;

int main(void) {
    longjmp(env, 1); // BUG
}
