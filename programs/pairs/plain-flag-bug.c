// A result is handed over with a flag that is a plain int. On most machines this works most of the time; C promises
// nothing.
// expect: kind=data-race line=13|22 exit=1
#include <pthread.h>

static int result;
static int ready;

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
