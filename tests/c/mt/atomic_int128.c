// __int128 with the __atomic and __sync builtins
#include <pthread.h>
#include <stdio.h>

typedef unsigned __int128 u128;

static _Alignas(16) u128 total, stamped;

static void *work(void *arg) {
    int me = *(int *)arg;
    u128 step = ((u128)1 << 64) + (unsigned)me;
    for (int i = 0; i < 10; i++) {
        u128 old = __atomic_load_n(&total, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n(&total, &old, old + step, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        for (u128 seen = 0;;) {
            u128 was = __sync_val_compare_and_swap(&stamped, seen, seen + 3);
            if (was == seen)
                break;
            seen = was;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int id[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%lu %lu %lu\n", (unsigned long)(total >> 64), (unsigned long)total, (unsigned long)stamped);
    return 0;
}
