// C11 condition variables: signal, broadcast, timedwait with a time-out
#include <stdio.h>
#include <threads.h>
#include <time.h>

enum { N = 3 };

static mtx_t m;
static cnd_t all, one;
static int open_gate, through;

static int passer(void *arg) {
    mtx_lock(&m);
    while (!open_gate)
        cnd_wait(&all, &m);
    through += *(int *)arg;
    cnd_signal(&one);
    mtx_unlock(&m);
    return 0;
}

int main(void) {
    mtx_init(&m, mtx_plain);
    cnd_init(&all);
    cnd_init(&one);
    thrd_t t[N];
    int weight[N] = {1, 10, 100};
    for (int i = 0; i < N; i++)
        thrd_create(&t[i], passer, &weight[i]);
    mtx_lock(&m);
    struct timespec when;
    timespec_get(&when, TIME_UTC);
    int rc = thrd_success;
    while (rc == thrd_success)
        rc = cnd_timedwait(&one, &m, &when);
    printf("timed out %d through %d\n", rc == thrd_timedout, through);
    open_gate = 1;
    printf("broadcast %d\n", cnd_broadcast(&all) == thrd_success);
    while (through != 111)
        cnd_wait(&one, &m);
    mtx_unlock(&m);
    for (int i = 0; i < N; i++)
        thrd_join(t[i], NULL);
    printf("through %d\n", through);
    cnd_destroy(&all);
    cnd_destroy(&one);
    mtx_destroy(&m);
    return 0;
}
