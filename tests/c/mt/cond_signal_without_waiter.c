// a signal without a waiter is lost; the predicate is what counts
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int set;

static void *late(void *arg) {
    pthread_mutex_lock(&m);
    int waits = 0;
    while (!set) {
        waits++;
        pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    *(int *)arg = waits;
    return NULL;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        pthread_cond_signal(&c);
        pthread_cond_broadcast(&c);
    }
    pthread_mutex_lock(&m);
    set = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_t t;
    int waits = -1;
    pthread_create(&t, NULL, late, &waits);
    pthread_join(t, NULL);
    printf("waits %d\n", waits);
    return 0;
}
