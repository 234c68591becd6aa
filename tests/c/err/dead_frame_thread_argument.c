// a thread's argument lives in a function that ended before the thread looks
// expect: use-after-free 11
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t go;

static void *work(void *arg) {
    sem_wait(&go);
    int n = *(int *)arg; // BUG
    return n ? arg : NULL;
}

static pthread_t start(int n) {
    pthread_t t;
    pthread_create(&t, NULL, work, &n);
    return t;
}

int main(void) {
    sem_init(&go, 0, 0);
    pthread_t t = start(3);
    sem_post(&go);
    pthread_join(t, NULL);
    return 0;
}
