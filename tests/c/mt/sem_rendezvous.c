// two threads meet with two semaphores; each then sees what the other wrote before
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t here[2];
static int said[2];

static void *side(void *arg) {
    int me = *(int *)arg, seen = 0;
    for (int i = 1; i <= 4; i++) {
        said[me] = i * (me + 1);
        sem_post(&here[me]);
        sem_wait(&here[!me]);
        seen = seen * 10 + said[!me];
        sem_post(&here[me]);
        sem_wait(&here[!me]);
    }
    *(int *)arg = seen;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        sem_init(&here[i], 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, side, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", id[0], id[1]);
    return 0;
}
