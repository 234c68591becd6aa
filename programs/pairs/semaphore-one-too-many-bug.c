// A semaphore as a mutex: it starts with one too many, because the constructor posts as well.
// expect: kind=data-race line=13 exit=1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t lock;
static int balance = 10;

static void *withdraw(void *u)
{
    sem_wait(&lock);
    balance -= 5;
    sem_post(&lock);
    return u;
}

int main(void)
{
    pthread_t s, t;
    sem_init(&lock, 0, 1);
    sem_post(&lock);
    pthread_create(&s, NULL, withdraw, NULL);
    pthread_create(&t, NULL, withdraw, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(balance == 0);
    sem_destroy(&lock);
    return 0;
}
