// A result is handed over with an atomic flag.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static int result;
static atomic_int ready;

static void *compute(void *unused)
{
    (void)unused;
    result = 6 * 7;
    ready = 1;
    return NULL;
}

int main(void)
{
    pthread_t worker;
    int shown = 42;
    pthread_create(&worker, NULL, compute, NULL);
    if (ready)
        shown = result;
    pthread_join(worker, NULL);
    return shown == 42 ? 0 : 1;
}
