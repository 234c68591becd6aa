// main waits for the end of the worker before it destroys the mutex.
// expect: proved
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
    pthread_join(worker, NULL);
    pthread_mutex_destroy(&lock);
    return done ? 0 : 1;
}
