// A printer and a scanner, each behind a semaphore. Both jobs take the printer first.
// expect: proved
#include <pthread.h>
#include <semaphore.h>

static sem_t printer, scanner;

static void *copy(void *unused)
{
    (void)unused;
    sem_wait(&printer);
    sem_wait(&scanner);
    sem_post(&scanner);
    sem_post(&printer);
    return NULL;
}

static void *scan_and_print(void *unused)
{
    (void)unused;
    sem_wait(&printer);
    sem_wait(&scanner);
    sem_post(&printer);
    sem_post(&scanner);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&printer, 0, 1);
    sem_init(&scanner, 0, 1);
    pthread_create(&one, NULL, copy, NULL);
    pthread_create(&two, NULL, scan_and_print, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    sem_destroy(&printer);
    sem_destroy(&scanner);
    return 0;
}
