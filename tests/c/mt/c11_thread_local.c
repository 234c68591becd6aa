// C11 thread_local: initialised, static inside a function, and its address used by another thread
#include <stdio.h>
#include <threads.h>

static thread_local int depth = 3;
thread_local long grid[4] = {10, 20, 30, 40};

static int *counter(void) {
    static thread_local int calls;
    calls++;
    return &calls;
}

static int work(void *arg) {
    int *shared = arg;
    depth += *shared;
    grid[1] += depth;
    for (int i = 0; i < *shared; i++)
        counter();
    *shared = (int)grid[1];
    return depth * 100 + *counter();
}

int main(void) {
    int a = 1, b = 2, ra, rb;
    thrd_t t, u;
    counter();
    thrd_create(&t, work, &a);
    thrd_create(&u, work, &b);
    thrd_join(t, &ra);
    thrd_join(u, &rb);
    printf("%d %d %d %d\n", a, b, ra, rb);
    printf("main %d %ld %d\n", depth, grid[1], *counter());
    return 0;
}
