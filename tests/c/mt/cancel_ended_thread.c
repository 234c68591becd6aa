// cancelling a thread that has ended but was not joined yet has no effect
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;

static void *work(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&done);
    return arg;
}

int main(void) {
    sem_init(&done, 0, 0);
    pthread_t t;
    void *r;
    int x = 1;
    pthread_create(&t, NULL, work, &x);
    sem_wait(&done);
    printf("cancel %d\n", pthread_cancel(t));
    pthread_join(t, &r);
    printf("own result %d\n", r == &x);
    return 0;
}
