// plain data handed over by relaxed accesses with release and acquire fences (beyond ThreadSanitizer)
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static int data[4];
static atomic_bool ready;

static void *producer(void *arg) {
    for (int i = 0; i < 4; i++)
        data[i] = *(int *)arg + i;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t t;
    int base = 40, sum = 0;
    pthread_create(&t, NULL, producer, &base);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    for (int i = 0; i < 4; i++)
        sum += data[i];
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
