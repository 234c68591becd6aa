// the MCS queue lock: every waiter spins on its own node
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_bool locked;
};

static _Atomic(struct waiter *) tail;
static int count, max_inside, inside;

static void lock(struct waiter *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
    struct waiter *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, me, memory_order_release);
        while (atomic_load_explicit(&me->locked, memory_order_acquire))
            sched_yield();
    }
}

static void unlock(struct waiter *me) {
    struct waiter *next = atomic_load_explicit(&me->next, memory_order_acquire);
    if (!next) {
        struct waiter *expected = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return;
        while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
            sched_yield();
    }
    atomic_store_explicit(&next->locked, 0, memory_order_release);
}

static void *work(void *arg) {
    (void)arg;
    struct waiter me;
    for (int i = 0; i < 12; i++) {
        lock(&me);
        if (++inside > max_inside)
            max_inside = inside;
        count++;
        inside--;
        unlock(&me);
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("count %d inside %d\n", count, max_inside);
    return 0;
}
