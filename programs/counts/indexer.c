// Threads put messages into one hash table without locks: thread t writes the words m * 11 + t for m = 1 … 4, hashes
// each by multiplying with 7, and takes the first free place from there on with a compare-exchange. Up to 11 threads
// never collide.
//
// From the paper on dynamic partial order reduction by Flanagan and Godefroid (2005).
//     -DN=n    number of threads
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 12
#endif
#define PLACES 128
#define WORDS 4

static atomic_int table[PLACES];

static bool take(int place, int word)
{
    int expected = 0;
    return atomic_compare_exchange_strong(&table[place], &expected, word);
}

static void *write_words(void *argument)
{
    int id = *(int *)argument;
    for (int m = 1; m <= WORDS; m++) {
        int word = m * 11 + id;
        int place = word * 7 % PLACES;
        while (!take(place, word))
            place = (place + 1) % PLACES;
    }
    return NULL;
}

int main(void)
{
    static int ids[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        ids[i] = i;
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, write_words, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
