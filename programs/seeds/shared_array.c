// Two threads write N times each to one array, the first to places with even numbers, the second to odd ones: nothing that
// one does matters to the other, but only who runs them sees it.
//
// After sharedArray of the paper on stateful dynamic partial order reduction by Yang, Chen, Gopalakrishnan and Kirby (2008,
// table 1), whose source is not printed. With -DLOCKED each write is under one mutex, so that the order of the writes matters
// to a search that looks at locks. Every access to a shared variable is an event (`--races allow`).
//     -DN=n -DLOCKED
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 8
#endif

static int array[2 * N];

#ifdef LOCKED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define begin() pthread_mutex_lock(&mutex)
#define end() pthread_mutex_unlock(&mutex)
#else
#define begin()
#define end()
#endif

static void *fill(void *argument)
{
    int first = (int)(intptr_t)argument;
    for (int i = 0; i < N; i++) {
        begin();
        array[2 * i + first] = i;
        end();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, fill, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
