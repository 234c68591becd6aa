// N threads, main among them, put four words each into one hash table; each place has a mutex of its own. Up to 11 threads
// never come to the same place.
//
// After the indexer of the SCALE thesis (table 6.1), which has it from Flanagan and Godefroid (2005). Its counts are those
// of `--races allow`; the handles of the threads are shared, so that main looks at one before each join.
//     -DN=n
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#define PLACES 128
#define WORDS 4

static int table[PLACES];
static pthread_mutex_t locks[PLACES] = {[0 ... PLACES - 1] = PTHREAD_MUTEX_INITIALIZER};
static pthread_t handles[N];

static bool take(int place, int word)
{
    bool taken = false;
    pthread_mutex_lock(&locks[place]);
    if (table[place] == 0) {
        table[place] = word;
        taken = true;
    }
    pthread_mutex_unlock(&locks[place]);
    return taken;
}

static void put_words(int id)
{
    for (int m = 1; m <= WORDS; m++) {
        int word = m * 11 + id;
        int place = word * 7 % PLACES;
        while (!take(place, word))
            place = (place + 1) % PLACES;
    }
}

static void *run(void *argument)
{
    put_words((int)(intptr_t)argument);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < N - 1; i++)
        pthread_create(&handles[i], NULL, run, (void *)(intptr_t)i);
    put_words(N - 1);
    for (int i = 0; i < N - 1; i++)
        pthread_join(handles[i], NULL);
    return 0;
}
