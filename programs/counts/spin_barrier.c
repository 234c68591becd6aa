// N threads meet at a barrier made of one atomic number: each counts itself, then waits in a loop until all are there.
// N! traces.
//     -DN=n    number of threads
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int missing = N;
static int prepared[N];

static void *walk(void *argument)
{
    *(int *)argument = 1;
    atomic_fetch_sub(&missing, 1);
    while (missing > 0)
        ;
    for (int i = 0; i < N; i++)
        assert(prepared[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, walk, &prepared[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
