// producers and consumers over a bounded buffer with two condition variables
#include <pthread.h>
#include <stdio.h>

enum { SIZE = 3, PRODUCERS = 2, CONSUMERS = 2, EACH = 12, STOP = -1 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buf[SIZE], in, out, count, highest;

static void put(int v) {
    pthread_mutex_lock(&m);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &m);
    buf[in] = v;
    in = (in + 1) % SIZE;
    if (++count > highest)
        highest = count;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
}

static int get(void) {
    pthread_mutex_lock(&m);
    while (count == 0)
        pthread_cond_wait(&not_empty, &m);
    int v = buf[out];
    out = (out + 1) % SIZE;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
    return v;
}

static void *produce(void *arg) {
    for (int i = 0; i < EACH; i++)
        put(*(int *)arg * 100 + i);
    return NULL;
}

static void *consume(void *arg) {
    long *sum = arg;
    for (int v; (v = get()) != STOP;)
        *sum += v;
    return NULL;
}

int main(void) {
    pthread_t p[PRODUCERS], c[CONSUMERS];
    int id[PRODUCERS] = {1, 2};
    long sum[CONSUMERS] = {0};
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&c[i], NULL, consume, &sum[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&p[i], NULL, produce, &id[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(p[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        put(STOP);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(c[i], NULL);
    printf("sum %ld left %d within bounds %d\n", sum[0] + sum[1], count, highest <= SIZE);
    return 0;
}
