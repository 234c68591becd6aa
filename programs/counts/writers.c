// N threads write one variable, each its own value: every order of the writes is a trace, N!.
//     -DN=n    number of writers
//     -DPLAIN  the variable is a plain int, for --races allow
#include <pthread.h>

#ifndef N
#define N 3
#endif

#ifdef PLAIN
static int x;
#else
static _Atomic int x;
#endif

static void *write_it(void *argument)
{
    x = *(int *)argument;
    return NULL;
}

int main(void)
{
    static int values[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, write_it, &values[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
