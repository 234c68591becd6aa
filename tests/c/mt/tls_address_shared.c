// a thread passes the address of its thread-local object to another, which changes it
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static _Thread_local int box[2] = {10, 20};
static int (*published)[2];
static sem_t there, back;

static void *owner(void *arg) {
    published = &box;
    sem_post(&there);
    sem_wait(&back);
    *(int *)arg = box[0] * 1000 + box[1];
    return NULL;
}

int main(void) {
    sem_init(&there, 0, 0);
    sem_init(&back, 0, 0);
    pthread_t t;
    int got;
    pthread_create(&t, NULL, owner, &got);
    sem_wait(&there);
    printf("different %d\n", (void *)published != (void *)&box);
    (*published)[0] += 5;
    (*published)[1] *= 3;
    sem_post(&back);
    pthread_join(t, NULL);
    printf("%d main %d %d\n", got, box[0], box[1]);
    return 0;
}
