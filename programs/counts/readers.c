// One writer of a variable and N readers of it: each reader sees the old value or the new one, 2^N traces.
//
// From the paper on optimal dynamic partial order reduction by Abdulla, Aronis, Jonsson and Sagonas (2014).
//     -DN=n    number of readers
//     -DPLAIN  the variable is a plain int, for --races allow
#include <pthread.h>

#ifndef N
#define N 2
#endif

#ifdef PLAIN
static int x;
#else
static _Atomic int x;
#endif
static int seen[N];

static void *write_it(void *unused)
{
    (void)unused;
    x = 42;
    return NULL;
}

static void *read_it(void *place)
{
    *(int *)place = x;
    return NULL;
}

int main(void)
{
    pthread_t writer, readers[N];
    pthread_create(&writer, NULL, write_it, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&readers[i], NULL, read_it, &seen[i]);
    pthread_join(writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
