// A spin lock made by hand: wait until it is free, then mark it as taken. Two threads can see it free before either
// of them has marked it.
// expect: kind=assertion line=23 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken, inside;

static void lock(void)
{
    while (taken)
        ;
    taken = 1;
}

static void unlock(void) { taken = 0; }

static void *work(void *unused)
{
    (void)unused;
    lock();
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
