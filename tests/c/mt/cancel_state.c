// a disabled cancel stays pending until it is enabled again and a cancellation point is reached
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t started, cancelled;
static int steps;

static void *work(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    steps += old == PTHREAD_CANCEL_ENABLE;
    sem_post(&started);
    sem_wait(&cancelled);
    pthread_testcancel();
    steps += 10;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    steps += old == PTHREAD_CANCEL_DISABLE ? 100 : 0;
    pthread_testcancel();
    steps += 1000;
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    sem_init(&started, 0, 0);
    sem_init(&cancelled, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    sem_wait(&started);
    pthread_cancel(t);
    sem_post(&cancelled);
    pthread_join(t, &r);
    printf("steps %d cancelled %d\n", steps, r == PTHREAD_CANCELED);
    return 0;
}
