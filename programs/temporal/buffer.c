/* A producer and a consumer, for ever, with a buffer between them. What is produced is consumed some time:
 *
 *     threadbare check buffer.c --ltl 'G ({stock > 0} -> F {consumed})'
 *
 * With -D LOST_WAKE_UP the consumer looks whether there is something, lets go of the lock, and only then begins to wait: a
 * signal in between wakes nobody, and in the end both wait for ever. */
#include <pthread.h>

#ifndef SLOTS
#define SLOTS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int stock, consumed;

static void *producer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (stock == SLOTS)
            pthread_cond_wait(&not_full, &lock);
        stock++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (stock == 0) {
#ifdef LOST_WAKE_UP
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
#endif
            pthread_cond_wait(&not_empty, &lock);
        }
        stock--;
        consumed = 1;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        consumed = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
