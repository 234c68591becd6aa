// A worker waits for the start signal without a flag that would remember it. If the signal comes before the worker
// waits, it is lost, and the worker waits for ever.
// expect: kind=deadlock line=13|25 exit=1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t start = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&start, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&start);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
