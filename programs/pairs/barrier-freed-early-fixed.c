// The barrier is freed when the thread that uses it has been joined.
// expect: proved
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *gate;

static void *worker(void *u)
{
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
    pthread_join(t, NULL);
    pthread_barrier_destroy(gate);
    free(gate);
    return 0;
}
