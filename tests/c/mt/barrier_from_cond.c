// a reusable barrier built from a mutex, a condition variable and a generation counter
#include <pthread.h>
#include <stdio.h>

enum { N = 3, ROUNDS = 6 };

struct barrier {
    pthread_mutex_t m;
    pthread_cond_t c;
    int waiting, size;
    unsigned generation;
};

static struct barrier bar = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, N, 0};
static int arrived[ROUNDS], short_count;

static int barrier_wait(struct barrier *b) {
    int last = 0;
    pthread_mutex_lock(&b->m);
    unsigned mine = b->generation;
    if (++b->waiting == b->size) {
        b->waiting = 0;
        b->generation++;
        last = 1;
        pthread_cond_broadcast(&b->c);
    } else {
        while (b->generation == mine)
            pthread_cond_wait(&b->c, &b->m);
    }
    pthread_mutex_unlock(&b->m);
    return last;
}

static void *work(void *arg) {
    int *lasts = arg;
    for (int r = 0; r < ROUNDS; r++) {
        pthread_mutex_lock(&bar.m);
        arrived[r]++;
        pthread_mutex_unlock(&bar.m);
        *lasts += barrier_wait(&bar);
        pthread_mutex_lock(&bar.m);
        if (arrived[r] != N)
            short_count++;
        pthread_mutex_unlock(&bar.m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int lasts[N] = {0};
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, &lasts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("lasts %d short %d generation %u\n", lasts[0] + lasts[1] + lasts[2], short_count, bar.generation);
    return 0;
}
