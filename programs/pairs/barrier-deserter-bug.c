// Two workers meet at a barrier after each of two rounds. A worker that sees the stop flag leaves at once; when the
// other one did not see it yet, it waits at the barrier alone.
// expect: kind=deadlock line=17|30 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_barrier_t barrier;
static atomic_bool stop;

static void *work(void *unused)
{
    (void)unused;
    for (int round = 0; round < 2; round++) {
        if (stop)
            break;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
