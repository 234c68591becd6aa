// The worker says that it is done before it unlocks. main believes it and destroys the mutex while it is still held.
// expect: kind=mutex-misuse|data-race line=15|26 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock;
static atomic_bool done;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    done = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&worker, NULL, work, NULL);
    while (!done)
        ;
    pthread_mutex_destroy(&lock);
    pthread_join(worker, NULL);
    return done ? 0 : 1;
}
