// A lock with a deadline: who does not get it leaves the stock alone.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static void *buy(void *u)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &soon) != 0)
        return u;
    if (stock > 0)
        stock--;
    pthread_mutex_unlock(&lock);
    return u;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, buy, NULL);
    pthread_create(&t, NULL, buy, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(stock >= 0);
    return 0;
}
