/* A ring of N places. The producer and the consumer count what they have put in and taken out, and never stop: the counters
 * make every state a new one. What matters of them is how far they are apart, and at which place they are:
 *
 *     threadbare check ring.c --abstraction what_matters --abstraction-sound
 *
 * That is sound: N divides the number of values that a counter has, and while a thread waits for the lock it keeps
 * nothing that it has read. TOO_MUCH leaves out how much the ring is filled: then a ring that fills up is taken for an empty one,
 * and whatever is wrong with a full one (-D LIMIT=3) is missed. */
#include <pthread.h>
#include <threadbare.h>

#define N 4
#ifndef LIMIT
#define LIMIT N
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned put, taken;

void what_matters(void)
{
    unsigned at = taken % N, filled = put - taken;
    tb_abstract(&at, sizeof at);
#ifndef TOO_MUCH
    tb_abstract(&filled, sizeof filled);
#endif
    (void)filled;
}

static void *produce(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        if (put - taken < N)
            put++;
        tb_assert(put - taken <= LIMIT);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        if (put != taken)
            taken++;
        pthread_mutex_unlock(&lock);
    }
}
