// exit() by a thread while main waits in join and another thread waits on a semaphore
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static sem_t never, ready;

static void *stuck(void *arg) {
    (void)arg;
    sem_post(&ready);
    sem_wait(&never);
    return NULL;
}

static void *leaver(void *arg) {
    (void)arg;
    sem_wait(&ready);
    printf("bye\n");
    exit(EXIT_FAILURE + 4);
}

int main(void) {
    pthread_t a, b;
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, stuck, NULL);
    pthread_create(&b, NULL, leaver, NULL);
    pthread_join(a, NULL);
    return 0;
}
