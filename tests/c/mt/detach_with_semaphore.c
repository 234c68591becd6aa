// detached threads (by pthread_detach and by attribute) announce their end with a semaphore
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int result[4];

static void *work(void *arg) {
    int *slot = arg;
    *slot = (int)(slot - result) * 10 + 1;
    sem_post(&done);
    return NULL;
}

static void *detaches_itself(void *arg) {
    pthread_detach(pthread_self());
    return work(arg);
}

int main(void) {
    sem_init(&done, 0, 0);
    pthread_t t;
    pthread_create(&t, NULL, work, &result[0]);
    printf("detach %d\n", pthread_detach(t));
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, &result[1]);
    pthread_create(&t, &attr, work, &result[2]);
    pthread_attr_destroy(&attr);
    pthread_create(&t, NULL, detaches_itself, &result[3]);
    for (int i = 0; i < 4; i++)
        sem_wait(&done);
    for (int i = 0; i < 4; i++)
        printf("%d\n", result[i]);
    return 0;
}
