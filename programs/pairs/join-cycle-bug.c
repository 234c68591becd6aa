// main waits for its helper to end. A helper that finds the work cancelled wants to be the last to leave, and waits
// for main to end.
// expect: kind=deadlock line=18|40 exit=1
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_t main_thread;
static atomic_bool cancelled;
static atomic_int done;

static void *help(void *unused)
{
    (void)unused;
    for (int item = 0; item < 3; item++) {
        if (cancelled) {
            pthread_join(main_thread, NULL);
            break;
        }
        done++;
    }
    return NULL;
}

static void *cancel(void *unused)
{
    (void)unused;
    if (done == 2)
        cancelled = true;
    return NULL;
}

int main(void)
{
    pthread_t helper, canceller;
    main_thread = pthread_self();
    pthread_create(&helper, NULL, help, NULL);
    pthread_create(&canceller, NULL, cancel, NULL);
    pthread_join(helper, NULL);
    pthread_join(canceller, NULL);
    return pthread_equal(main_thread, pthread_self()) ? 0 : 1;
}
