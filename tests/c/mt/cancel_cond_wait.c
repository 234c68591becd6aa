// cancel a thread blocked in cond_wait: the handler finds the mutex locked, join gives PTHREAD_CANCELED
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, ready = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void unlock(void *arg) {
    cleaned++;
    pthread_mutex_unlock(arg);
}

static void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    waiting = 1;
    pthread_cond_signal(&ready);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    while (!waiting)
        pthread_cond_wait(&ready, &m);
    pthread_mutex_unlock(&m);
    printf("cancel %d\n", pthread_cancel(t));
    pthread_join(t, &r);
    printf("cancelled %d cleaned %d\n", r == PTHREAD_CANCELED, cleaned);
    printf("free again %d\n", pthread_mutex_trylock(&m));
    pthread_mutex_unlock(&m);
    return 0;
}
