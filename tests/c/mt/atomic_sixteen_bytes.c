// 16-byte atomics inline (cmpxchg16b): a pair changed as one, load, store, exchange, compare-exchange
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
    int64_t low, high;
};

static _Atomic struct pair shared;
static int torn[3];

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 1; i <= 10; i++) {
        struct pair old = atomic_load(&shared), new;
        torn[me] += old.low + old.high != 1000;
        do {
            new.low = old.low + i;
            new.high = old.high - i;
        } while (!atomic_compare_exchange_strong(&shared, &old, new));
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int id[3] = {0, 1, 2};
    atomic_init(&shared, ((struct pair){0, 1000}));
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    struct pair p = atomic_exchange(&shared, ((struct pair){7, 8}));
    printf("%ld %ld torn %d\n", (long)p.low, (long)p.high, torn[0] + torn[1] + torn[2]);
    atomic_store(&shared, ((struct pair){p.high, p.low}));
    p = atomic_load(&shared);
    printf("%ld %ld\n", (long)p.low, (long)p.high);
    return 0;
}
