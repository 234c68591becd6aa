/* Two workers serve requests for ever, and count them. The counter makes every state a new one, though nothing hangs on it:
 *
 *     threadbare check statistics.c --ignore stats.served
 *
 * ends after a few states. With -D BROKEN=N something hangs on it after all, at the request number N: what shows later than
 * the first state that is taken for an earlier one is missed, and so there is no proof. */
#include <pthread.h>
#include <threadbare.h>

#ifndef BROKEN
#define BROKEN 0
#endif

static struct {
    unsigned long served;
    int busy;
} stats;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        stats.busy++;
        stats.served++;
        stats.busy--;
        tb_assert(stats.served != BROKEN);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, worker, 0);
    worker(0);
    return 0;
}
