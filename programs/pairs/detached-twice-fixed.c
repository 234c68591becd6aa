// A worker that is quick leaves it to main to detach it.
// expect: proved
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool wanted;
static sem_t ended;

static void *work(void *unused)
{
    (void)unused;
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
