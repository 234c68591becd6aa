// Two neighbours meet in a corridor. Both take the left side first, and wait for it.
// expect: proved options=--livelock
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void pass(pthread_mutex_t *mine, pthread_mutex_t *other)
{
    pthread_mutex_lock(mine);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(mine);
}

static void *up(void *unused)
{
    (void)unused;
    pass(&left, &right);
    return NULL;
}

static void *down(void *unused)
{
    (void)unused;
    pass(&left, &right);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, up, NULL);
    pthread_create(&two, NULL, down, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
