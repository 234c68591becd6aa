// Peterson's algorithm with seq_cst atomics
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag[2], victim;
static int shared[3];

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 15; i++) {
        atomic_store(&flag[me], 1);
        atomic_store(&victim, me);
        while (atomic_load(&flag[!me]) && atomic_load(&victim) == me)
            sched_yield();
        shared[0]++;
        shared[1 + me] += shared[0] > 0;
        atomic_store(&flag[me], 0);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", shared[0], shared[1], shared[2]);
    return 0;
}
