// A semaphore guards a machine that serves one at a time. It starts with 1.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t machine;
static atomic_int users;

static void *use_machine(void *unused)
{
    (void)unused;
    sem_wait(&machine);
    assert(atomic_fetch_add(&users, 1) == 0);
    atomic_fetch_sub(&users, 1);
    sem_post(&machine);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&machine, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use_machine, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&machine);
    return 0;
}
