// every read-modify-write of stdatomic from several threads; the results do not depend on the order
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N = 4, ROUNDS = 16 };

static atomic_int added, subtracted = 1000;
static atomic_uint ored, xored, anded = 0xffffffffu;
static atomic_long exchanged;
static atomic_ullong wide;
static atomic_uchar narrow;
static long carried[N];

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&added, me + 1);
        atomic_fetch_sub(&subtracted, 2);
        atomic_fetch_or(&ored, 1u << (me * ROUNDS / 2 + i / 2));
        atomic_fetch_xor(&xored, 0x11u << (me + i % 3));
        atomic_fetch_and(&anded, ~(1u << (me * 3)));
        carried[me] += atomic_exchange(&exchanged, me * 100 + i);
        atomic_fetch_add_explicit(&wide, 1ull << 33, memory_order_relaxed);
        atomic_fetch_add_explicit(&narrow, 5, memory_order_acq_rel);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    long total = atomic_load(&exchanged);
    for (int i = 0; i < N; i++)
        total += carried[i];
    printf("%d %d %x %x %x\n", added, subtracted, ored, xored, anded);
    printf("%ld %llu %u\n", total, wide, (unsigned)narrow);
    return 0;
}
