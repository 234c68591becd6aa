// A cache of the balance is made invalid first and the balance changed then. A reader between the two fills the
// cache again with the old balance, and there it stays.
// expect: kind=assertion line=50 exit=1
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
    cache = INVALID;
    pthread_mutex_lock(&lock);
    balance += 50;
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
