// Two threads push two numbers up in turns, N times each: i += j and j += i. The best that they can reach is a
// Fibonacci number. With -DREADER a third thread looks at both.
//
// From the benchmarks of the competition on software verification (SV-COMP).
//     -DN=n      rounds of each thread
//     -DREADER   with a thread that reads i, then j
//     -DPLAIN    plain ints, for --races allow
#include <pthread.h>

#ifndef N
#define N 2
#endif

#ifdef PLAIN
static int i = 1, j = 1;
#else
static _Atomic int i = 1, j = 1;
#endif

// Load, load and store, each an operation by itself: `i += j` on an atomic would be a single one.
static void *push_i(void *unused)
{
    (void)unused;
    for (int round = 0; round < N; round++)
        i = i + j;
    return NULL;
}

static void *push_j(void *unused)
{
    (void)unused;
    for (int round = 0; round < N; round++)
        j = j + i;
    return NULL;
}

#ifdef READER
static int largest;

static void *look(void *unused)
{
    (void)unused;
    int now_i = i, now_j = j;
    largest = now_i > now_j ? now_i : now_j;
    return NULL;
}
#endif

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, push_i, NULL);
    pthread_create(&two, NULL, push_j, NULL);
#ifdef READER
    pthread_t three;
    pthread_create(&three, NULL, look, NULL);
#endif
    pthread_join(one, NULL);
    pthread_join(two, NULL);
#ifdef READER
    pthread_join(three, NULL);
#endif
    return 0;
}
