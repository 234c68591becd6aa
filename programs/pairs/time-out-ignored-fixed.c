// A worker waits for the lock with a time limit, and goes away after a time-out.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int counter;

static void *patient(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *impatient(void *unused)
{
    (void)unused;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    if (pthread_mutex_timedlock(&lock, &limit) != 0)
        return NULL;
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, patient, NULL);
    pthread_create(&two, NULL, impatient, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
