// main starts a worker and only then notes how many workers there are. A worker that starts at once divides its work
// by the number that is not there yet.
// expect: kind=assertion line=16 exit=1
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
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
        workers++;
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
