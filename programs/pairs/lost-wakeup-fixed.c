// The setter raises the flag under the lock: the waiter has either seen it, or is waiting when the signal comes.
// expect: proved
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
    pthread_mutex_lock(&lock);
    flag = true;
    pthread_mutex_unlock(&lock);
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
