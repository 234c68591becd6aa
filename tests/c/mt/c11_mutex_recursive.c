// C11 recursive mutexes, plain and timed
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t m;
static int total;

static void descend(int n) {
    mtx_lock(&m);
    total += n;
    if (n > 0)
        descend(n - 1);
    mtx_unlock(&m);
}

static int work(void *arg) {
    descend(*(int *)arg);
    return 0;
}

static int try_it(void *arg) {
    (void)arg;
    return mtx_trylock(&m);
}

int main(void) {
    int type[2] = {mtx_plain | mtx_recursive, mtx_timed | mtx_recursive};
    for (int i = 0; i < 2; i++) {
        thrd_t t[2];
        int depth[2] = {4, 5}, rc;
        total = 0;
        mtx_init(&m, type[i]);
        for (int k = 0; k < 2; k++)
            thrd_create(&t[k], work, &depth[k]);
        for (int k = 0; k < 2; k++)
            thrd_join(t[k], NULL);
        mtx_lock(&m);
        printf("again %d", mtx_trylock(&m) == thrd_success);
        mtx_unlock(&m);
        thrd_create(&t[0], try_it, NULL);
        thrd_join(t[0], &rc);
        printf(" busy %d", rc == thrd_busy);
        mtx_unlock(&m);
        if (type[i] & mtx_timed) {
            printf(" timed %d", mtx_timedlock(&m, &(struct timespec){0, 0}) == thrd_success);
            mtx_unlock(&m);
        }
        printf(" total %d\n", total);
        mtx_destroy(&m);
    }
    return 0;
}
