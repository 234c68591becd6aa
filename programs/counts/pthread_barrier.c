// N threads meet S times at a barrier of the library. Nobody asks who came last, so the order of arrival does not
// matter: one trace.
//     -DN=n    number of threads
//     -DS=s    how often they meet
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef S
#define S 1
#endif

static pthread_barrier_t barrier;
static int steps[N];

static void *walk(void *argument)
{
    int *mine = argument;
    for (int step = 0; step < S; step++) {
        ++*mine;
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < N; i++)
            assert(steps[i] > step);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, walk, &steps[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
