// the __atomic family on plain objects of all widths
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint8_t u8;
static int16_t i16;
static uint32_t u32;
static int64_t i64;
static bool lock;
static int *slot;
static int cells[4], plain;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        __atomic_add_fetch(&u8, 7, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&i16, 300, __ATOMIC_ACQ_REL);
        __atomic_fetch_nand(&u32, 0, __ATOMIC_SEQ_CST);
        int64_t old = __atomic_load_n(&i64, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(&i64, &old, old + (1LL << 40) + me, true, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
            ;
        while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
            sched_yield();
        plain += me;
        __atomic_clear(&lock, __ATOMIC_RELEASE);
        int *mine = &cells[me];
        int *was = __atomic_exchange_n(&slot, mine, __ATOMIC_ACQ_REL);
        if (was)
            __atomic_fetch_add(was, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

int main(void) {
    pthread_t t[4];
    int id[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    int *last;
    __atomic_load(&slot, &last, __ATOMIC_SEQ_CST);
    int at_end = last >= cells && last < cells + 4;
    printf("%u %d %x %lld %d %d %d\n", (unsigned)u8, (int)i16, (unsigned)u32, (long long)i64, plain,
           cells[0] + cells[1] + cells[2] + cells[3], at_end);
    printf("lock free %d\n", __atomic_always_lock_free(8, 0));
    return 0;
}
