// A worker waits for the lock with a time limit, and does not look at what came of it. After a time-out it changes
// the counter without the lock, and unlocks a mutex that another one holds.
// expect: kind=mutex-misuse line=28 exit=1
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
    pthread_mutex_timedlock(&lock, &limit);
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
