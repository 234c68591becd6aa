// Two workers meet at a barrier after each of two rounds. Only the first of them looks at the stop flag, and both
// act on what it saw.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_barrier_t barrier;
static atomic_bool stop;
static bool stopping;

static void *work(void *argument)
{
    int me = *(int *)argument;
    for (int round = 0; round < 2; round++) {
        if (me == 0)
            stopping = stop;
        pthread_barrier_wait(&barrier);
        if (stopping)
            break;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t workers[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, &ids[i]);
    stop = true;
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
