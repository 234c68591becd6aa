// options: --full
// The waits of this thread end in ways of their own: nobody wakes it, it is cancelled.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static _Thread_local int rounds;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    for (;;) {
        rounds++;
        pthread_cond_wait(&change, &lock);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    rounds = 7;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    return 0;
}
