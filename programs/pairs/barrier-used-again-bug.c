// A barrier made of one counter: the last to arrive sets it back to 0, the others wait for the 0. When it is used a
// second time, a quick thread counts up again before the slow one has seen the 0, and both wait for ever.
// expect: kind=livelock line=16 exit=1
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 2

static atomic_int arrived;

static void meet(void)
{
    if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) {
        arrived = 0;
    } else {
        while (arrived != 0)
            ;
    }
}

static void *walk(void *unused)
{
    (void)unused;
    meet();
    meet();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, walk, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
