// Two threads count what they have done in one plain variable, without a lock.
// expect: kind=data-race line=10 exit=1
#include <pthread.h>

static long done;

static void *work(void *unused)
{
    (void)unused;
    done++;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
