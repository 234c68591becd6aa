// The main thread frees the barrier as soon as it has passed it; the worker wants to use it once more.
// expect: kind=use-after-free line=11 exit=1
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *gate;

static void *worker(void *u)
{
    pthread_barrier_wait(gate);
    pthread_barrier_wait(gate);
    return u;
}

int main(void)
{
    pthread_t t;
    gate = malloc(sizeof *gate);
    pthread_barrier_init(gate, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    pthread_barrier_wait(gate);
    pthread_barrier_destroy(gate);
    free(gate);
    pthread_join(t, NULL);
    return 0;
}
