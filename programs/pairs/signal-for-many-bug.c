// Two runners wait for the gate. It is opened with a signal, which wakes one of them; the other one waits on at an
// open gate.
// expect: kind=deadlock line=16|31 exit=1
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool open_now;

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!open_now)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t runners[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&runners[i], NULL, run, NULL);
    pthread_mutex_lock(&lock);
    open_now = true;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(runners[i], NULL);
    return 0;
}
