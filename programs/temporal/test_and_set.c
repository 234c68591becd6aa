/* A test-and-set lock: safe, but a thread may find it taken every time that it looks.
 *
 *     threadbare check test_and_set.c --ltl 'G !(t0@critical && t1@critical)'       holds
 *     threadbare check test_and_set.c --ltl 'G ({want[0]} -> F t0@critical)'        does not: thread 0.0 starves
 */
#include <pthread.h>
#include <stdatomic.h>
#include <threadbare.h>

atomic_int want[2], taken;

static void *worker(void *number)
{
    int me = (int)(long)number;
    for (;;) {
        want[me] = 1;
        while (atomic_exchange(&taken, 1))
            ;
        tb_label("critical");
        want[me] = 0;
        taken = 0;
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
