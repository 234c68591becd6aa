// exit while mutexes, a rwlock and a semaphore are held and a thread waits for one of them
// expect: none
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;

static void *waits(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

static void leave(int code) {
    printf("leaving with %d\n", code);
    exit(code);
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 1);
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&l);
    sem_wait(&s);
    pthread_create(&t, NULL, waits, NULL);
    leave(3);
    return 0;
}
