// N threads count under a lock that is made of atomic operations, and wait for it in a loop.
//     -DN=n      number of threads
//     -DTICKET   take a number, wait until it is called: N! traces
//     -DEXCHANGE exchange 1 into the lock until a 0 comes back: N! traces
//     -DCAS      compare-exchange 0 with 1 until that succeeds: N! traces
//     -DTRYLOCK  pthread_mutex_trylock until that succeeds: N! traces
//     -DTTAS     look until it is 0, only then exchange (test and test-and-set): (N!)^2 traces
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

#if defined TICKET
static atomic_int next_ticket, now_served;

static void lock(void)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (now_served != mine)
        ;
}

static void unlock(void) { atomic_fetch_add(&now_served, 1); }

#elif defined EXCHANGE
static atomic_int held;

static void lock(void)
{
    while (atomic_exchange(&held, 1))
        ;
}

static void unlock(void) { held = 0; }

#elif defined CAS
static atomic_int held;

static void lock(void)
{
    for (int expected = 0; !atomic_compare_exchange_strong(&held, &expected, 1); expected = 0)
        ;
}

static void unlock(void) { held = 0; }

#elif defined TRYLOCK
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    while (pthread_mutex_trylock(&mutex))
        ;
}

static void unlock(void) { pthread_mutex_unlock(&mutex); }

#elif defined TTAS
static atomic_int held;

static void lock(void)
{
    do {
        while (held)
            ;
    } while (atomic_exchange(&held, 1));
}

static void unlock(void) { held = 0; }

#else
#error "which lock?"
#endif

static int counter;

static void *count(void *unused)
{
    (void)unused;
    lock();
    counter++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
