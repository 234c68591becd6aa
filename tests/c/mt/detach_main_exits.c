// detached workers finish their work after main has called pthread_exit; the last one prints
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N = 4 };

static atomic_int left = N, sum;

static void *work(void *arg) {
    atomic_fetch_add(&sum, *(const int *)arg);
    if (atomic_fetch_sub(&left, 1) == 1)
        printf("sum %d\n", sum);
    return NULL;
}

int main(void) {
    static const int value[N] = {1, 20, 300, 4000};
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < N; i++)
        pthread_create(&t, &attr, work, (void *)&value[i]);
    pthread_attr_destroy(&attr);
    pthread_exit(NULL);
}
