// a chain of semaphores fixes the order in which threads print
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { N = 5 };

static sem_t turn[N + 1];

static void *printer(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&turn[me]);
        printf("line %d of thread %d\n", i, me);
        sem_post(&turn[me + 1]);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i <= N; i++)
        sem_init(&turn[i], 0, 0);
    for (int i = N - 1; i >= 0; i--) {
        id[i] = i;
        pthread_create(&t[i], NULL, printer, &id[i]);
    }
    for (int i = 0; i < 2; i++) {
        sem_post(&turn[0]);
        sem_wait(&turn[N]);
        printf("main after round %d\n", i);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
