// A watchdog asks a worker that holds the lock for too long to stop.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool busy, stop;
static int items;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    busy = true;
    for (int i = 0; i < 2 && !stop; i++)
        items++;
    busy = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
    if (busy)
        stop = true;
    return NULL;
}

int main(void)
{
    pthread_t worker, watchdog;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&watchdog, NULL, watch, NULL);
    pthread_join(worker, NULL);
    pthread_join(watchdog, NULL);
    return 0;
}
