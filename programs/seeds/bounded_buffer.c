// PRODUCERS threads put OPS things each into a ring of RING places, one of which stays empty, and CONSUMERS threads take OUT
// of them each; a mutex and two condition variables, one for "no longer full" and one for "no longer empty".
//
// After bbuf of the paper on stateful dynamic partial order reduction by Yang, Chen, Gopalakrishnan and Kirby (2008, table 1);
// how many of each, and how much they do, is not printed. Every access to a shared variable is an event (`--races allow`).
//     -DPRODUCERS=p -DCONSUMERS=c -DOPS=n -DOUT=n -DRING=r
#include <pthread.h>
#include <stddef.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef OPS
#define OPS 1
#endif
#ifndef OUT
#define OUT (PRODUCERS * OPS / CONSUMERS)
#endif
#ifndef RING
#define RING 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int ring[RING];
static int head, tail;

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < OPS; i++) {
        pthread_mutex_lock(&mutex);
        while ((tail + 1) % RING == head)
            pthread_cond_wait(&not_full, &mutex);
        ring[tail] = 1;
        tail = (tail + 1) % RING;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 0; i < OUT; i++) {
        pthread_mutex_lock(&mutex);
        while (head == tail)
            pthread_cond_wait(&not_empty, &mutex);
        int taken = ring[head];
        (void)taken;
        head = (head + 1) % RING;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], NULL, i < PRODUCERS ? produce : consume, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
