// Two threads wait on one condition variable with different mutexes.
// expect: kind=data-race line=12 exit=1
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *wait_for(void *m)
{
    pthread_mutex_lock(m);
    while (!go)
        pthread_cond_wait(&c, m);
    pthread_mutex_unlock(m);
    return 0;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, wait_for, &a);
    pthread_create(&t, NULL, wait_for, &b);
    pthread_mutex_lock(&a);
    go = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&a);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
