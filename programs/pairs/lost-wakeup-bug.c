// The waiter looks at the flag under the lock; the setter raises it and signals without the lock. Between the
// waiter's look and its wait both can happen: nobody is there to hear the signal, and the waiter sleeps for ever.
// expect: kind=deadlock line=17|35 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
static atomic_bool flag;

static void *wait_for_flag(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!flag)
        pthread_cond_wait(&raised, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *raise_flag(void *unused)
{
    (void)unused;
    flag = true;
    pthread_cond_signal(&raised);
    return NULL;
}

int main(void)
{
    pthread_t waiter, setter;
    pthread_create(&waiter, NULL, wait_for_flag, NULL);
    pthread_create(&setter, NULL, raise_flag, NULL);
    pthread_join(waiter, NULL);
    pthread_join(setter, NULL);
    return 0;
}
