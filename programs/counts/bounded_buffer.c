// Producers and consumers share a buffer of one slot. With a condition variable for each side this works; with one
// that both sides share, a signal can wake the wrong side, and all of them wait for ever.
//     -DP=p -DC=c   number of producers and of consumers
//     -DPUT=n       items that each producer puts in; the consumers take as many in all, each the same share
//     -DSHARED      one condition variable for both sides
#include <assert.h>
#include <pthread.h>

#ifndef P
#define P 1
#endif
#ifndef C
#define C 1
#endif
#ifndef PUT
#define PUT 1
#endif
#define TAKE (P * PUT / C)
_Static_assert(P * PUT % C == 0, "the consumers take what the producers put in");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef SHARED
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#define emptied changed
#define filled changed
#else
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER, filled = PTHREAD_COND_INITIALIZER;
#endif
static int slots_used, taken;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < PUT; i++) {
        pthread_mutex_lock(&lock);
        while (slots_used == 1)
            pthread_cond_wait(&emptied, &lock);
        slots_used++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 0; i < TAKE; i++) {
        pthread_mutex_lock(&lock);
        while (slots_used == 0)
            pthread_cond_wait(&filled, &lock);
        slots_used--;
        taken++;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[P + C];
    for (int i = 0; i < P + C; i++)
        pthread_create(&threads[i], NULL, i < P ? produce : consume, NULL);
    for (int i = 0; i < P + C; i++)
        pthread_join(threads[i], NULL);
    assert(taken == P * PUT);
    return 0;
}
