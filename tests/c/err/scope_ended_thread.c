// a thread uses an argument whose block main has left
// expect: use-after-free 12 contains whose block has ended
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t left;

static void *work(void *arg) {
    int *number = arg;
    sem_wait(&left);
    *number += 1; // BUG
    return NULL;
}

int main(void) {
    pthread_t thread;
    sem_init(&left, 0, 0);
    {
        int number = 41;
        pthread_create(&thread, NULL, work, &number);
    }
    sem_post(&left);
    pthread_join(thread, NULL);
    return 0;
}
