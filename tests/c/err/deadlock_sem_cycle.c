// two threads wait for each other's post
// expect: deadlock 0
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t s[2];

static void *work(void *arg) {
    int me = *(int *)arg;
    sem_wait(&s[me]);
    sem_post(&s[!me]);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        sem_init(&s[i], 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
