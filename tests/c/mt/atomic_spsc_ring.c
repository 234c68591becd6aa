// a ring buffer for one producer and one consumer with acquire and release
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SIZE = 4, ITEMS = 40 };

static int ring[SIZE];
static atomic_uint in, out;

static void *produce(void *arg) {
    (void)arg;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&out, memory_order_acquire) == SIZE)
            sched_yield();
        ring[i % SIZE] = (int)(i * i);
        atomic_store_explicit(&in, i + 1, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    long sum = 0;
    int wrong = 0;
    pthread_create(&t, NULL, produce, NULL);
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&in, memory_order_acquire) == i)
            sched_yield();
        int v = ring[i % SIZE];
        atomic_store_explicit(&out, i + 1, memory_order_release);
        wrong += v != (int)(i * i);
        sum += v;
    }
    pthread_join(t, NULL);
    printf("sum %ld wrong %d\n", sum, wrong);
    return 0;
}
