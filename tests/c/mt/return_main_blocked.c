// return from main while threads are blocked for ever: the exit code of main wins
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never, started;

static void *in_cond(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    sem_post(&started);
    for (;;)
        pthread_cond_wait(&c, &m);
}

static void *in_sem(void *arg) {
    (void)arg;
    sem_post(&started);
    sem_wait(&never);
    printf("not reached\n");
    return NULL;
}

int main(void) {
    sem_init(&never, 0, 0);
    sem_init(&started, 0, 0);
    pthread_t a, b;
    pthread_create(&a, NULL, in_cond, NULL);
    pthread_create(&b, NULL, in_sem, NULL);
    sem_wait(&started);
    sem_wait(&started);
    printf("main returns\n");
    return 23;
}
