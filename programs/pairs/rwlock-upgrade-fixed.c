// A cache under a read-write lock. Who finds the entry out of date gives the read lock back, takes the write lock,
// and looks again.
// expect: proved
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entry = 42;

static void *look_up(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    if (entry == 0) {
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        if (entry == 0)
            entry = 42;
    }
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *drop(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    entry = 0;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t readers[2], cleaner;
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, look_up, NULL);
    pthread_create(&cleaner, NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    pthread_join(cleaner, NULL);
    return 0;
}
