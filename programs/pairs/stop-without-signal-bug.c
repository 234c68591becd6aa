// A worker sleeps until there is work or the end; the end is said without a wake-up.
// expect: kind=deadlock line=33 exit=1
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int stop, jobs;

static void *worker(void *u)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!jobs && !stop)
            pthread_cond_wait(&wake, &lock);
        if (jobs) { jobs--; continue; }
        break;
    }
    pthread_mutex_unlock(&lock);
    return u;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    jobs = 1;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
