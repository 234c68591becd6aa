// Peterson's mutual exclusion of two threads: each says that it wants in, gives way, and waits until the other does not
// want in or has given way itself.
//     -DK=k    rounds of each thread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef K
#define K 1
#endif

static atomic_int wants[2], turn;
static int inside;

static void *work(void *argument)
{
    int me = *(int *)argument, other = 1 - me;
    for (int round = 0; round < K; round++) {
        wants[me] = 1;
        turn = other;
        while (wants[other] && turn == other)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        wants[me] = 0;
    }
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
