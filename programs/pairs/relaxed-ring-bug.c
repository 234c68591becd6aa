// A ring for one producer and one consumer: the producer stores its index without an order, so that the slot need not
// be seen filled.
// expect: kind=data-race line=31 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
static int slots[SIZE];
static atomic_uint head, tail;
#define PUBLISH memory_order_relaxed

static void *producer(void *u)
{
    for (int i = 1; i <= 3; i++) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        while (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
            ;
        slots[t % SIZE] = i;
        atomic_store_explicit(&tail, t + 1, PUBLISH);
    }
    return u;
}

static void *consumer(void *u)
{
    for (int i = 1; i <= 3; i++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        while (atomic_load_explicit(&tail, memory_order_acquire) == h)
            ;
        assert(slots[h % SIZE] == i);
        atomic_store_explicit(&head, h + 1, memory_order_release);
    }
    return u;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, producer, NULL);
    pthread_create(&t, NULL, consumer, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
