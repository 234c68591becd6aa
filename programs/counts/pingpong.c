// Two players hit a ball in turns, K times each, with one mutex and one condition variable. 2 * 4^(K - 1) traces.
//     -DK=k    rounds
#include <assert.h>
#include <pthread.h>

#ifndef K
#define K 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn, hits;

static void *play(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < K; round++) {
        pthread_mutex_lock(&lock);
        while (turn != me)
            pthread_cond_wait(&turned, &lock);
        hits++;
        turn = 1 - me;
        pthread_cond_signal(&turned);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static int players[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, play, &players[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(hits == 2 * K);
    return 0;
}
