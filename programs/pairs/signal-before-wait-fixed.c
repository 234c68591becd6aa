// A worker waits for the start signal, which a flag remembers.
// expect: proved
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;
static bool started;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!started)
        pthread_cond_wait(&start, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    started = true;
    pthread_cond_signal(&start);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
