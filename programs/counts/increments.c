// N threads add to one variable without a lock: a load and a store each, and updates get lost. Thread i adds 2^i, so
// that the sum says whose updates are in it, and no store writes what is there already. (N!)^2 traces.
//     -DN=n    number of threads
//     -DPLAIN  the variable is a plain int, for --races allow
#include <pthread.h>

#ifndef N
#define N 2
#endif

#ifdef PLAIN
static int sum;
#else
static _Atomic int sum;
#endif

static void *add(void *argument)
{
    sum = sum + *(int *)argument;
    return NULL;
}

int main(void)
{
    static int amounts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        amounts[i] = 1 << i;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, &amounts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
