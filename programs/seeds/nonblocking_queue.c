// A ring of N places without blocking: one thread puts in the numbers 0 to N-1, main takes out N of them and expects them
// in this order. Who takes out may look at an empty place, be overtaken, believe that somebody else is just taking what
// was put there, and step over it: a number is lost.
//
// After the non-blocking queue of the SCALE thesis (section 6.1), which has the algorithm from Shann, Huang and Chen
// (2000). Every access to a shared variable is an event (`--races allow`).
//     -DN=n
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

// A place in the ring. Its version changes with every use, so that an old look at it is not taken for a new one.
struct place {
    volatile int *number;
    unsigned version;
};

static volatile struct place ring[N];
static volatile unsigned front;
static volatile unsigned rear;
static pthread_mutex_t swapping = PTHREAD_MUTEX_INITIALIZER;

static bool swap_place(volatile struct place *place, struct place seen, volatile int *number)
{
    bool swapped = false;
    pthread_mutex_lock(&swapping);
    if (place->number == seen.number && place->version == seen.version) {
        place->number = number;
        place->version = seen.version + 1;
        swapped = true;
    }
    pthread_mutex_unlock(&swapping);
    return swapped;
}

static void advance(volatile unsigned *end, unsigned seen)
{
    pthread_mutex_lock(&swapping);
    if (*end == seen)
        *end = seen + 1;
    pthread_mutex_unlock(&swapping);
}

static void put(volatile int *number)
{
    struct place seen;
    while (true) {
        unsigned end = rear;
        volatile struct place *place = &ring[end % N];
        seen.number = place->number;
        seen.version = place->version;
        if (end != rear || end == front + N)
            continue;
        bool done = seen.number == NULL && swap_place(place, seen, number);
        // The number is in, or somebody else's is: in both cases the end is one further.
        if (done || seen.number != NULL)
            advance(&rear, end);
        if (done)
            return;
    }
}

static volatile int *take(void)
{
    struct place seen;
    while (true) {
        unsigned end = front;
        volatile struct place *place = &ring[end % N];
        seen.number = place->number;
        seen.version = place->version;
        if (end != front || end == rear)
            continue;
        bool done = seen.number != NULL && swap_place(place, seen, NULL);
        // The bug: what was seen may be older than what is at the rear.
        if (done || seen.number == NULL)
            advance(&front, end);
        if (done)
            return seen.number;
    }
}

static void *producer(void *unused)
{
    static volatile int numbers[N];
    (void)unused;
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        put(&numbers[i]);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 0; i < N; i++)
        assert(*take() == i);
    pthread_join(thread, NULL);
    return 0;
}
