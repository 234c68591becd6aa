// two barriers shared by overlapping groups of threads, one of them initialised twice
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t pair, all;
static int left[2], right[2];

static void *work(void *arg) {
    int me = *(int *)arg;
    if (me < 2) {
        left[me] = me + 1;
        pthread_barrier_wait(&pair);
        right[me] = left[!me] * 10;
    }
    pthread_barrier_wait(&all);
    if (me == 2)
        *(int *)arg = right[0] + right[1];
    return NULL;
}

int main(void) {
    for (int round = 0; round < 2; round++) {
        pthread_t t[3];
        int id[3] = {0, 1, 2};
        pthread_barrier_init(&pair, NULL, 2);
        pthread_barrier_init(&all, NULL, 3);
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, work, &id[i]);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        printf("%d\n", id[2]);
        pthread_barrier_destroy(&pair);
        pthread_barrier_destroy(&all);
    }
    return 0;
}
