// A watchdog helps a worker that holds the lock for too long: it unlocks the mutex for it. Only the thread that has
// locked a mutex may unlock it.
// expect: kind=mutex-misuse line=28 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool busy;
static int items;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    busy = true;
    for (int i = 0; i < 2; i++)
        items++;
    busy = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
    if (busy)
        pthread_mutex_unlock(&lock);
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
