// plain data handed over by a release store and an acquire load, forth and back
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static int data[8];
static atomic_int stage;

static void *other(void *arg) {
    (void)arg;
    for (int round = 0; round < 5; round++) {
        while (atomic_load_explicit(&stage, memory_order_acquire) != 2 * round + 1)
            sched_yield();
        for (int i = 0; i < 8; i++)
            data[i] = data[7 - i] + i;
        atomic_store_explicit(&stage, 2 * round + 2, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 8; i++)
            data[i] = data[i] * 2 + round;
        atomic_store_explicit(&stage, 2 * round + 1, memory_order_release);
        while (atomic_load_explicit(&stage, memory_order_acquire) != 2 * round + 2)
            sched_yield();
    }
    pthread_join(t, NULL);
    for (int i = 0; i < 8; i++)
        printf("%d ", data[i]);
    printf("\n");
    return 0;
}
