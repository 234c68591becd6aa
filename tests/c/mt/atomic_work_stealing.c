// work is split into ranges; a thread that has finished takes the upper half of another's
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 3, ITEMS = 60 };

static _Atomic uint64_t range[N];
static atomic_int done_count;
static int done[ITEMS];

static uint64_t pack(uint32_t from, uint32_t to) {
    return (uint64_t)from << 32 | to;
}

static int take(int who) {
    uint64_t r = atomic_load(&range[who]);
    while ((uint32_t)(r >> 32) < (uint32_t)r)
        if (atomic_compare_exchange_weak(&range[who], &r, r + (1ull << 32)))
            return (int)(r >> 32);
    return -1;
}

static int steal(int victim, int thief) {
    uint64_t r = atomic_load(&range[victim]);
    for (;;) {
        uint32_t from = (uint32_t)(r >> 32), to = (uint32_t)r;
        if (from >= to)
            return -1;
        uint32_t middle = from + (to - from) / 2;
        if (atomic_compare_exchange_weak(&range[victim], &r, pack(from, middle))) {
            atomic_store(&range[thief], pack(middle + 1, to));
            return (int)middle;
        }
    }
}

static void *work(void *arg) {
    int me = *(int *)arg;
    while (atomic_load(&done_count) < ITEMS) {
        int i = take(me);
        for (int v = 0; v < N && i < 0; v++)
            if (v != me)
                i = steal(v, me);
        if (i < 0) {
            sched_yield();
            continue;
        }
        done[i] += i + 1;
        atomic_fetch_add(&done_count, 1);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {0, 1, 2}, sum = 0, once = 0;
    atomic_store(&range[0], pack(0, 50));
    atomic_store(&range[1], pack(50, ITEMS));
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < ITEMS; i++) {
        sum += done[i];
        once += done[i] == i + 1;
    }
    printf("sum %d once %d\n", sum, once);
    return 0;
}
