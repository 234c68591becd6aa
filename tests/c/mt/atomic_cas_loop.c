// compare-and-swap loops: a saturating add, a maximum and a multiplication modulo a prime
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int saturated, maximum;
static _Atomic unsigned long product = 1;

static void *work(void *arg) {
    int n = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        int old = atomic_load(&saturated);
        while (!atomic_compare_exchange_weak(&saturated, &old, old + n > 100 ? 100 : old + n))
            ;
        int value = (n * 37 + i * 11) % 97;
        old = atomic_load_explicit(&maximum, memory_order_relaxed);
        while (old < value && !atomic_compare_exchange_strong(&maximum, &old, value))
            ;
        unsigned long p = atomic_load(&product);
        while (!atomic_compare_exchange_weak_explicit(&product, &p, p * (unsigned)n % 10007,
                                                      memory_order_acq_rel, memory_order_relaxed))
            ;
    }
    return NULL;
}

int main(void) {
    pthread_t t[4];
    int n[4] = {3, 5, 7, 11};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %lu\n", saturated, maximum, product);
    return 0;
}
