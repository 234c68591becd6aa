// a zero-initialised static mutex and condition variable work like the static initialisers of Linux
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m;
static pthread_cond_t c;
static int stage;

static void *other(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    while (stage != 1)
        pthread_cond_wait(&c, &m);
    stage = 2;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_mutex_lock(&m);
    stage = 1;
    pthread_cond_signal(&c);
    while (stage != 2)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);

    pthread_mutex_t *heap = calloc(1, sizeof *heap);
    printf("%d %d", stage, pthread_mutex_lock(heap));
    printf(" %d\n", pthread_mutex_unlock(heap));
    free(heap);
    return 0;
}
