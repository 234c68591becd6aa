// longjmp into a function that has returned
// expect: crash 13 contains longjmp into `mark`, which has returned
#include <setjmp.h>

static jmp_buf env;

static int mark(void) {
    return setjmp(env);
}

int main(void) {
    if (mark() == 0)
        longjmp(env, 1); // BUG
    return 0;
}
