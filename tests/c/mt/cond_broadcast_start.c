// broadcast releases all waiting threads, each of which does its own part
#include <pthread.h>
#include <stdio.h>

enum { N = 5 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, ready = PTHREAD_COND_INITIALIZER;
static int waiting, started, done[N];

static void *runner(void *arg) {
    int *slot = arg;
    pthread_mutex_lock(&m);
    if (++waiting == N)
        pthread_cond_signal(&ready);
    while (!started)
        pthread_cond_wait(&go, &m);
    *slot = started * (int)(slot - done + 1);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, runner, &done[i]);
    pthread_mutex_lock(&m);
    while (waiting < N)
        pthread_cond_wait(&ready, &m);
    for (int i = 0; i < N; i++)
        printf("%d", done[i]);
    printf("\n");
    started = 3;
    pthread_cond_broadcast(&go);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        printf("%d ", done[i]);
    printf("\n");
    return 0;
}
