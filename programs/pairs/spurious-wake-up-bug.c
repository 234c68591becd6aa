// A waiter waits with `if`. There is one waiter and one signal, so that all is well, unless the wait returns without
// a signal, which POSIX allows: found with --spurious 1.
// expect: kind=assertion line=18 exit=1 options=--spurious 1
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool there;

static void *wait_for_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!there)
        pthread_cond_wait(&arrived, &lock);
    assert(there);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *bring_it(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    there = true;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t waiter, bringer;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_create(&bringer, NULL, bring_it, NULL);
    pthread_join(waiter, NULL);
    pthread_join(bringer, NULL);
    return 0;
}
