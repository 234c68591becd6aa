// N threads count up an array, array[j] = array[j - 1] + 1, while one more looks for the last zero in it from the end.
// (N + 3) * 2^(N - 2) traces.
//
// From the paper on optimal dynamic partial order reduction by Abdulla, Aronis, Jonsson and Sagonas (2014).
//     -DN=n    number of threads that count
//     -DPLAIN  the array is of plain ints, for --races allow
#include <pthread.h>

#ifndef N
#define N 3
#endif

#ifdef PLAIN
static int array[N + 1];
#else
static _Atomic int array[N + 1];
#endif

static void *find_last_zero(void *unused)
{
    (void)unused;
    int i = N;
    while (array[i] != 0)
        i--;
    return NULL;
}

static void *count_up(void *argument)
{
    int j = *(int *)argument;
    array[j] = array[j - 1] + 1;
    return NULL;
}

int main(void)
{
    static int places[N + 1];
    pthread_t finder, counters[N + 1];
    for (int j = 1; j <= N; j++)
        places[j] = j;
    pthread_create(&finder, NULL, find_last_zero, NULL);
    for (int j = 1; j <= N; j++)
        pthread_create(&counters[j], NULL, count_up, &places[j]);
    pthread_join(finder, NULL);
    for (int j = 1; j <= N; j++)
        pthread_join(counters[j], NULL);
    return 0;
}
