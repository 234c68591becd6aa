// A worker that is quick detaches itself, because nobody has asked for its result. main, which does not want the
// result, detaches it, too.
// expect: kind=thread-misuse line=16|27 exit=1
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool wanted;
static sem_t ended;

static void *work(void *unused)
{
    (void)unused;
    if (!wanted)
        pthread_detach(pthread_self());
    sem_post(&ended);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    sem_init(&ended, 0, 0);
    pthread_create(&worker, NULL, work, NULL);
    wanted = true;
    pthread_detach(worker);
    sem_wait(&ended);
    return 0;
}
