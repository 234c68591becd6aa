/* Two threads under one mutex with hardly any work in between: short steps, as a search meets them. */
#include <pthread.h>
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif
enum { ROUNDS = 100000 * SCALE };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned counter, last[2];

static void *work(void *argument)
{
    unsigned who = *(unsigned *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        last[who] = counter++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    unsigned who[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%u\n", counter);
    return 0;
}
