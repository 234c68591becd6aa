// Two neighbours meet in a corridor. Each takes its own side, tries the other's, and if that is taken steps back and
// tries again. They can do so for ever, in step: everybody moves, nobody gets through.
// expect: kind=livelock line=12|13|15 exit=1 options=--livelock
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void pass(pthread_mutex_t *mine, pthread_mutex_t *other)
{
    for (;;) {
        pthread_mutex_lock(mine);
        if (pthread_mutex_trylock(other) == 0)
            break;
        pthread_mutex_unlock(mine);
    }
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
    pass(&right, &left);
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
