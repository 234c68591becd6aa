// a consumer that waits for whole batches, producers that wait until theirs is taken
#include <pthread.h>
#include <stdio.h>

enum { N = 3, BATCHES = 4 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static int offered[N], count, batch;

static void *produce(void *arg) {
    int me = *(int *)arg;
    for (int b = 0; b < BATCHES; b++) {
        pthread_mutex_lock(&m);
        offered[me] = (me + 1) * (b + 1);
        if (++count == N)
            pthread_cond_signal(&full);
        while (batch == b)
            pthread_cond_wait(&taken, &m);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {0, 1, 2};
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, produce, &id[i]);
    for (int b = 0; b < BATCHES; b++) {
        pthread_mutex_lock(&m);
        while (count < N)
            pthread_cond_wait(&full, &m);
        printf("batch %d: %d %d %d\n", b, offered[0], offered[1], offered[2]);
        count = 0;
        batch++;
        pthread_cond_broadcast(&taken);
        pthread_mutex_unlock(&m);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
