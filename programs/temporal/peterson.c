/* Peterson's lock for two threads that come back for ever. Whoever wants to enter does so some time:
 *
 *     threadbare check peterson.c --ltl 'G ({want[0]} -> F t0@critical)' --ltl 'G !(t0@critical && t1@critical)'
 */
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int want[2], turn;

static void *worker(void *number)
{
    int me = (int)(long)number, other = 1 - me;
    for (;;) {
        want[me] = 1;
        turn = other;
        while (want[other] && turn == other)
            ;
        tb_label("critical");
        want[me] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
