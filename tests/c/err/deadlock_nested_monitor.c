// a nested monitor: the inner wait releases only the inner lock, the signaller needs the outer one first
// expect: deadlock 0
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t has_outer;
static int ready;

static void *waiter(void *arg) {
    pthread_mutex_lock(&outer);
    sem_post(&has_outer);
    pthread_mutex_lock(&inner);
    while (!ready)
        pthread_cond_wait(&c, &inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&has_outer, 0, 0);
    pthread_create(&t, NULL, waiter, NULL);
    sem_wait(&has_outer);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    pthread_join(t, NULL);
    return 0;
}
