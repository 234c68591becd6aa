/* Two threads under one mutex: what race detection costs where every access is checked. */
#include <pthread.h>
#include <stdio.h>

#ifndef SCALE
#define SCALE 1
#endif
enum { ROUNDS = 2000 * SCALE, SIZE = 256 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned table[SIZE], turns;
static struct {
    unsigned sum;
    unsigned char low, high;
} shared;

static void *work(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        turns++;
        for (int i = 0; i < SIZE; i++) {
            seed = seed * 1103515245 + 12345;
            table[i] += seed >> 16;
            shared.sum += table[(i * 7) % SIZE];
        }
        shared.low = (unsigned char)shared.sum;
        shared.high = (unsigned char)(shared.sum >> 8);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    unsigned seeds[2] = {1, 2};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &seeds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%u turns\n", turns);
    return 0;
}
