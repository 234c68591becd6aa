// A worker that has nothing to do gives the lock back before it ends itself.
// expect: proved
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 1;

static void take_job(void)
{
    pthread_mutex_lock(&lock);
    if (jobs == 0) {
        pthread_mutex_unlock(&lock);
        pthread_exit(NULL);
    }
    jobs--;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    take_job();
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
