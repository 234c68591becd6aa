// cancel a thread that sleeps practically for ever
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t started;

static void *sleeper(void *arg) {
    (void)arg;
    sem_post(&started);
    for (;;)
        sleep(1000);
}

static void *in_sem(void *arg) {
    sem_post(&started);
    for (;;)
        sem_wait(arg);
}

int main(void) {
    sem_t never;
    sem_init(&started, 0, 0);
    sem_init(&never, 0, 0);
    pthread_t a, b;
    void *ra, *rb;
    pthread_create(&a, NULL, sleeper, NULL);
    pthread_create(&b, NULL, in_sem, &never);
    sem_wait(&started);
    sem_wait(&started);
    pthread_cancel(a);
    pthread_cancel(b);
    pthread_join(a, &ra);
    pthread_join(b, &rb);
    printf("%d %d\n", ra == PTHREAD_CANCELED, rb == PTHREAD_CANCELED);
    return 0;
}
