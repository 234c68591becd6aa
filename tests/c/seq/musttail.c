// calls in the place of the caller: direct and through a table; far deeper than a stack could be
#include <stdio.h>

static int is_odd(unsigned n);

static int is_even(unsigned n) {
    if (n == 0) return 1;
    __attribute__((musttail)) return is_odd(n - 1);
}

static int is_odd(unsigned n) {
    if (n == 0) return 0;
    __attribute__((musttail)) return is_even(n - 1);
}

struct machine {
    const char *code;
    long stack[4];
    int depth;
};

typedef long step(struct machine *machine, long sum);

static step push, add, loop, stop;

static step *step_of(char c) {
    switch (c) {
    case 'p': return push;
    case 'a': return add;
    case 'l': return loop;
    default: return stop;
    }
}

static long push(struct machine *machine, long sum) {
    char local[16] = "";
    snprintf(local, sizeof local, "%d", machine->depth);
    machine->stack[machine->depth++] = sum + local[0] - '0';
    __attribute__((musttail)) return step_of(*machine->code++)(machine, sum);
}

static long add(struct machine *machine, long sum) {
    __attribute__((musttail)) return step_of(*machine->code++)(machine, sum + machine->stack[--machine->depth] + 1);
}

static long loop(struct machine *machine, long sum) {
    if (sum < 200000) machine->code -= 3;
    __attribute__((musttail)) return step_of(*machine->code++)(machine, sum + machine->depth);
}

static long stop(struct machine *machine, long sum) {
    return sum * 10 + machine->depth;
}

int main(void) {
    printf("%d %d\n", is_even(300000), is_even(300001));
    struct machine machine = {.code = "papapal."};
    printf("%ld\n", push(&machine, 0));
    return 0;
}
