// C11 threads: create, join with results, exit, current, equal, detach, yield, sleep
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static atomic_int detached_done;

static int half(void *arg) {
    return *(int *)arg / 2;
}

static int leaves(void *arg) {
    thrd_exit(*(int *)arg + 1);
}

static int same(void *arg) {
    return thrd_equal(thrd_current(), thrd_current()) && !thrd_equal(thrd_current(), *(thrd_t *)arg);
}

static int alone(void *arg) {
    (void)arg;
    atomic_store(&detached_done, 1);
    return 0;
}

int main(void) {
    thrd_t a, b, c, d, me = thrd_current();
    int n = 84, ra, rb, rc;
    printf("create %d\n", thrd_create(&a, half, &n) == thrd_success);
    thrd_create(&b, leaves, &n);
    thrd_create(&c, same, &me);
    printf("join %d\n", thrd_join(a, &ra) == thrd_success);
    thrd_join(b, &rb);
    thrd_join(c, &rc);
    printf("%d %d %d\n", ra, rb, !!rc);
    thrd_create(&d, alone, NULL);
    printf("detach %d\n", thrd_detach(d) == thrd_success);
    while (!atomic_load(&detached_done))
        thrd_yield();
    printf("sleep %d\n", thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL));
    thrd_create(&a, half, &n);
    printf("join without result %d\n", thrd_join(a, NULL) == thrd_success);
    return 0;
}
