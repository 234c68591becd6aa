// a detached thread owns its heap argument and frees it
// expect: none
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int a, b;
    sem_t *done;
    int *out;
};

static void *work(void *arg) {
    struct job *j = arg;
    *j->out = j->a * j->b;
    sem_t *done = j->done;
    free(j);
    sem_post(done);
    return NULL;
}

int main(void) {
    sem_t done;
    int out[3];
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) {
        struct job *j = malloc(sizeof *j);
        *j = (struct job){i + 2, i + 5, &done, &out[i]};
        pthread_t t;
        pthread_create(&t, NULL, work, j);
        pthread_detach(t);
    }
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    printf("%d %d %d\n", out[0], out[1], out[2]);
    return 0;
}
