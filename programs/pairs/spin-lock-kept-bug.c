// A lock is an atomic flag. Who finds no work returns without giving it back, and the next one spins for ever.
// expect: kind=livelock line=24 exit=1
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int work_left = 1;

static void *work(void *unused)
{
    (void)unused;
    while (atomic_flag_test_and_set(&lock))
        ;
    if (work_left == 0)
        return NULL;
    work_left--;
    atomic_flag_clear(&lock);
    return NULL;
}

static void *bring_work(void *unused)
{
    (void)unused;
    while (atomic_flag_test_and_set(&lock))
        ;
    work_left++;
    atomic_flag_clear(&lock);
    return NULL;
}

int main(void)
{
    pthread_t workers[2], supplier;
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    pthread_create(&supplier, NULL, bring_work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    pthread_join(supplier, NULL);
    return 0;
}
