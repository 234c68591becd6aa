// The balance is changed first, and its cache made invalid then. A reader that fills the cache takes both steps
// under the lock of the balance.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define INVALID (-1)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static atomic_int cache = 100;

static int read_balance(void)
{
    int seen = cache;
    if (seen == INVALID) {
        pthread_mutex_lock(&lock);
        seen = balance;
        cache = seen;
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void *show(void *unused)
{
    (void)unused;
    read_balance();
    return NULL;
}

static void *pay_in(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    balance += 50;
    cache = INVALID;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t display, employer;
    pthread_create(&display, NULL, show, NULL);
    pthread_create(&employer, NULL, pay_in, NULL);
    pthread_join(display, NULL);
    pthread_join(employer, NULL);
    assert(read_balance() == 150);
    return 0;
}
