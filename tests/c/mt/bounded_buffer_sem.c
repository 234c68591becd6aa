// one producer and one consumer over a bounded buffer with semaphores: the order is kept
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { SIZE = 4, ITEMS = 26 };

static sem_t empty, full;
static char buf[SIZE];

static void *produce(void *arg) {
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&empty);
        buf[i % SIZE] = (char)('a' + i);
        sem_post(&full);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    sem_init(&empty, 0, SIZE);
    sem_init(&full, 0, 0);
    pthread_create(&t, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&full);
        putchar(buf[i % SIZE]);
        sem_post(&empty);
    }
    putchar('\n');
    pthread_join(t, NULL);
    int e, f;
    sem_getvalue(&empty, &e);
    sem_getvalue(&full, &f);
    printf("%d %d\n", e, f);
    return 0;
}
