// a semaphore of 2 lets at most two threads in at a time
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static sem_t slots;
static atomic_int inside, visits, too_many;

static void *visitor(void *arg) {
    (void)arg;
    for (int i = 0; i < 5; i++) {
        sem_wait(&slots);
        if (atomic_fetch_add(&inside, 1) >= 2)
            atomic_fetch_add(&too_many, 1);
        atomic_fetch_add(&visits, 1);
        sched_yield();
        atomic_fetch_sub(&inside, 1);
        sem_post(&slots);
    }
    return NULL;
}

int main(void) {
    pthread_t t[4];
    sem_init(&slots, 0, 2);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, visitor, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    int v;
    sem_getvalue(&slots, &v);
    printf("visits %d too many %d inside %d value %d\n", visits, too_many, inside, v);
    sem_destroy(&slots);
    return 0;
}
