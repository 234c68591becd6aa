// longjmp out of nested calls into a function that still runs, also with a value of 0
// expect: none
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

static void deep(int n, int value) {
    if (n == 0)
        longjmp(env, value);
    deep(n - 1, value);
    printf("not reached\n");
}

int main(void) {
    volatile int round = 0;
    int r = setjmp(env);
    printf("setjmp gave %d\n", r);
    if (round < 3) {
        round++;
        deep(round * 2, round == 2 ? 0 : round * 10);
    }
    printf("rounds %d\n", round);
    return 0;
}
