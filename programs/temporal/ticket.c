/* A ticket lock: threads enter in the order in which they took their numbers, so nobody starves. The numbers go round, or
 * there would be no end of states.
 *
 *     threadbare check ticket.c --ltl 'G ({want[0]} -> F t0@critical)'
 */
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

#ifndef THREADS
#define THREADS 2
#endif

atomic_int want[THREADS];
_Atomic unsigned char next, serving;

static void *worker(void *number)
{
    int me = (int)(long)number;
    for (;;) {
        want[me] = 1;
        unsigned char mine = next++;
        while (serving != mine)
            ;
        tb_label("critical");
        want[me] = 0;
        serving++;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
