/* Atomics of all sizes and orders, fences, threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ORDERS(load_store, type, name)                                                                     \
    type load_##name(_Atomic(type) *p) {                                                                   \
        type a = atomic_load_explicit(p, memory_order_relaxed);                                            \
        a += atomic_load_explicit(p, memory_order_consume);                                                \
        a += atomic_load_explicit(p, memory_order_acquire);                                                \
        return a + atomic_load_explicit(p, memory_order_seq_cst);                                          \
    }                                                                                                      \
    void store_##name(_Atomic(type) *p, type v) {                                                          \
        atomic_store_explicit(p, v, memory_order_relaxed);                                                 \
        atomic_store_explicit(p, v, memory_order_release);                                                 \
        atomic_store_explicit(p, v, memory_order_seq_cst);                                                 \
    }                                                                                                      \
    type modify_##name(_Atomic(type) *p, type v) {                                                         \
        type a = atomic_exchange_explicit(p, v, memory_order_acq_rel);                                     \
        a += atomic_fetch_add_explicit(p, v, memory_order_relaxed);                                        \
        a += atomic_fetch_sub_explicit(p, v, memory_order_acquire);                                        \
        a += atomic_fetch_and_explicit(p, v, memory_order_release);                                        \
        a += atomic_fetch_or_explicit(p, v, memory_order_acq_rel);                                         \
        return a + atomic_fetch_xor_explicit(p, v, memory_order_seq_cst);                                  \
    }                                                                                                      \
    bool swap_##name(_Atomic(type) *p, type *e, type v) {                                                  \
        return atomic_compare_exchange_strong_explicit(p, e, v, memory_order_acq_rel,                      \
                                                       memory_order_acquire) ||                            \
               atomic_compare_exchange_weak_explicit(p, e, v, memory_order_release,                        \
                                                     memory_order_relaxed) ||                              \
               atomic_compare_exchange_weak(p, e, v);                                                      \
    }

ORDERS(x, int8_t, i8)
ORDERS(x, uint16_t, u16)
ORDERS(x, int32_t, i32)
ORDERS(x, uint64_t, u64)

int extremes(int *p, unsigned *q, int v) {
    int a = __atomic_fetch_max(p, v, __ATOMIC_SEQ_CST);
    a += __atomic_fetch_min(p, v, __ATOMIC_RELAXED);
    a += (int)__atomic_fetch_max(q, (unsigned)v, __ATOMIC_ACQUIRE);
    a += (int)__atomic_fetch_min(q, (unsigned)v, __ATOMIC_RELEASE);
    return a + __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST) + __atomic_add_fetch(p, 3, __ATOMIC_ACQ_REL);
}

void fences(void) {
    atomic_thread_fence(memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_release);
    atomic_thread_fence(memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_synchronize();
}

struct node { struct node *next; int value; };
static _Atomic(struct node *) top;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static _Atomic double balance;
static _Atomic float ratio;
static _Atomic bool ready;
static volatile _Atomic long odometer;

void push(struct node *n) {
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed)) {
    }
}

struct node *pop(void) {
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next)) {
    }
    return n;
}

void locked(void) {
    while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire)) {
    }
    balance += 1.5;
    ratio *= 2.0f;
    ready = !ready;
    odometer++;
    atomic_flag_clear_explicit(&spin, memory_order_release);
}

struct two { long a, b; };
struct three { char c[3]; };
struct two load_two(_Atomic struct two *p, struct two v) {
    struct two old = *p;
    *p = v;
    return atomic_exchange(p, old);
}
struct three load_three(_Atomic struct three *p) { return atomic_load(p); }

ptrdiff_t pointer_step(_Atomic(int *) *p) { return atomic_fetch_add(p, 2) - atomic_load(p); }

static int shared[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int mine;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&mutex);
        shared[(intptr_t)arg & 15] += i + mine++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, worker, (void *)i)) return 1;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("%d\n", shared[1]);
    return 0;
}
