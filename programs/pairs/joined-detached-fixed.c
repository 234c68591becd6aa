// A worker that finds the cancel flag up goes. main joins it.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool cancelled;
static atomic_int done;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        if (cancelled)
            return NULL;
        done++;
    }
    return NULL;
}

int main(void)
{
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    if (done < 2)
        cancelled = true;
    pthread_join(worker, NULL);
    return 0;
}
