// Two managers wait for one worker. An exchange decides which of them joins it.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_t worker;
static atomic_bool joined;

static void *work(void *unused) { return unused; }

static void *manage(void *unused)
{
    (void)unused;
    if (!atomic_exchange(&joined, true))
        pthread_join(worker, NULL);
    return NULL;
}

int main(void)
{
    pthread_t managers[2];
    pthread_create(&worker, NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&managers[i], NULL, manage, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(managers[i], NULL);
    return 0;
}
