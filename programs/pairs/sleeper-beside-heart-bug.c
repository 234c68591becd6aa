// A heart beats for ever. It also opens a gate once, for a worker that sleeps until then; if the gate opens before the
// worker sleeps, the signal is lost. The heart goes on beating, so that not everything stands still, and nobody stands in a
// circle with the worker: but it sleeps for good.
// expect: kind=deadlock line=17 exit=1 options=--strategy graph
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static atomic_int beat, work;

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&door);
    pthread_cond_wait(&opened, &door);
    pthread_mutex_unlock(&door);
    for (;;)
        work = !work;
    return NULL;
}

static void *heart(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&door);
    is_open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&door);
    for (;;)
        beat = !beat;
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, heart, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
