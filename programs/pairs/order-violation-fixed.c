// main notes how many workers there are before it starts the first one.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORKERS 2

static atomic_int workers;

static void *work(void *unused)
{
    (void)unused;
    int share_of = workers;
    assert(share_of == WORKERS);
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    workers = WORKERS;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
