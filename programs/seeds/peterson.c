// Peterson's mutual exclusion of two threads, each with a descriptor that says where its own flag and the other one's are.
// With -DVOLATILE the flags and the turn are volatile, as they must be. Without, the compiler sees a loop in which nothing can
// change, and leaves it out from `-O 1` on: both threads may be inside. With -DROUNDS=n each thread goes in n times, else
// again and again.
//
// After the program that pancam checks (Zaks and Joshi 2008, figures 1 and 9). Every access to a shared variable is an event
// (`--races allow`); mutual exclusion is the invariant `exclusive`.
//     -DVOLATILE -DROUNDS=n
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef VOLATILE
#define SHARED volatile
#else
#define SHARED
#endif

struct descriptor {
    SHARED int *own;
    SHARED int *other;
    int self;
    unsigned odd;
};

static SHARED int wants[2];
static SHARED int last;
static volatile int inside;

int exclusive(void)
{
    return inside <= 1;
}

static void enter(struct descriptor *d)
{
    *d->own = 1;
    last = d->self;
    // It counts its rounds, if only by twos: clang 19 leaves out a loop that does something, and not an empty one.
    while (*d->other == 1 && last == d->self)
        d->odd ^= 1;
}

static void leave(struct descriptor *d)
{
    *d->own = 0;
}

static void run(int self)
{
    struct descriptor d = {&wants[self], &wants[1 - self], self, 0};
#ifdef ROUNDS
    for (int round = 0; round < ROUNDS; round++)
#else
    while (true)
#endif
    {
        enter(&d);
        inside++;
        inside--;
        leave(&d);
    }
}

static void *first(void *unused)
{
    (void)unused;
    run(0);
    return NULL;
}

static void *second(void *unused)
{
    (void)unused;
    run(1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
