// Atomic accesses of all kinds and sizes, of one word and of neighbours in it, by threads that compute little in between.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static struct {
    _Atomic uint8_t byte[4];
    _Atomic uint16_t half;
    _Atomic uint32_t word;
    _Atomic uint64_t whole;
} shared;
static _Atomic int turn;
static int constants[4] = {1, 2, 3, 5};
static _Atomic int raw;

static void *work(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < 6; round++) {
        atomic_fetch_add(&shared.byte[me], (uint8_t)constants[me]);
        atomic_fetch_xor(&shared.half, 0x101u << me);
        uint32_t seen = atomic_load(&shared.word);
        if (seen % 3 == 0)
            atomic_store(&shared.word, seen + 1);
        else
            atomic_fetch_sub(&shared.word, 1);
        uint64_t expected = 0;
        atomic_compare_exchange_strong(&shared.whole, &expected, 7u + (unsigned)me);
        int mine = me;
        atomic_compare_exchange_strong(&turn, &mine, (me + 1) % 3);
        if (atomic_exchange(&raw, me) == me)
            atomic_store_explicit(&shared.whole, 0, memory_order_relaxed);
    }
    return 0;
}

int main(void)
{
    static int numbers[3] = {0, 1, 2};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, &numbers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
