// main left with pthread_exit; the last thread waits for ever
// expect: deadlock 0
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t s;

static void *work(void *arg) {
    sem_wait(&s);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    pthread_exit(NULL);
}
