// A worker that finds the cancel flag up detaches itself and goes. main, which has raised the flag, joins it all the
// same.
// expect: kind=thread-misuse line=31 exit=1
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
        if (cancelled) {
            pthread_detach(pthread_self());
            return NULL;
        }
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
