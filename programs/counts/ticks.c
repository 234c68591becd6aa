// N threads count K ticks each on one atomic counter. Every order of the ticks is a trace, (NK)! / K!^N of them; where each
// thread has come to is all there is to a state, (K + 1)^N before the joins. For searches that store very many states.
//     -DN=n    number of threads
//     -DK=k    ticks of each
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif

static atomic_int ticks;

static void *count(void *argument)
{
    for (int i = 0; i < K; i++)
        atomic_fetch_add(&ticks, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
