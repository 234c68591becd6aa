// A latch: the last one that counts down wakes the waiter. It looks for the last but one.
// expect: kind=deadlock line=27 exit=1
#include <pthread.h>
#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t open = PTHREAD_COND_INITIALIZER;
static int count = 2, opened;

static void *down(void *u)
{
    pthread_mutex_lock(&lock);
    count--;
    int left = count;
    pthread_mutex_unlock(&lock);
    if (left == 1)
        pthread_cond_broadcast(&open);
    return u;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, down, NULL);
    pthread_mutex_lock(&lock);
    while (count > 0)
        pthread_cond_wait(&open, &lock);
    opened = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return !opened;
}
