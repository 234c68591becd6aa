// trylock: EBUSY while another thread holds the mutex, 0 once it is free
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, release;

static void *holder(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    sem_post(&held);
    sem_wait(&release);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    sem_init(&held, 0, 0);
    sem_init(&release, 0, 0);
    printf("free %d\n", pthread_mutex_trylock(&m));
    printf("own %d\n", pthread_mutex_trylock(&m) == EBUSY);
    pthread_mutex_unlock(&m);
    pthread_t t;
    pthread_create(&t, NULL, holder, NULL);
    sem_wait(&held);
    printf("held %d\n", pthread_mutex_trylock(&m) == EBUSY);
    printf("held %d\n", pthread_mutex_trylock(&m) == EBUSY);
    sem_post(&release);
    pthread_join(t, NULL);
    printf("free %d\n", pthread_mutex_trylock(&m));
    pthread_mutex_unlock(&m);
    return 0;
}
