// cancel a thread that is blocked in pthread_join: the thread it waited for can still be joined
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

static sem_t release, started;
static pthread_t worker;

static void *work(void *arg) {
    sem_wait(&release);
    return arg;
}

static void *joiner(void *arg) {
    sem_post(&started);
    pthread_join(worker, NULL);
    return arg;
}

int main(void) {
    sem_init(&release, 0, 0);
    sem_init(&started, 0, 0);
    pthread_t j;
    void *r;
    pthread_create(&worker, NULL, work, (void *)(intptr_t)9);
    pthread_create(&j, NULL, joiner, NULL);
    sem_wait(&started);
    pthread_cancel(j);
    pthread_join(j, &r);
    printf("joiner cancelled %d\n", r == PTHREAD_CANCELED);
    sem_post(&release);
    pthread_join(worker, &r);
    printf("worker gave %ld\n", (long)(intptr_t)r);
    return 0;
}
