// a once function that uses another once control and blocks inside
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static sem_t go;
static int inner_runs, outer_runs;

static void run_inner(void) {
    inner_runs++;
}

static void run_outer(void) {
    sem_wait(&go);
    pthread_once(&inner, run_inner);
    outer_runs += inner_runs;
}

static void *use(void *arg) {
    pthread_once(&outer, run_outer);
    *(int *)arg = outer_runs * 10 + inner_runs;
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int seen[3];
    sem_init(&go, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, use, &seen[i]);
    sem_post(&go);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], NULL);
        printf("%d\n", seen[i]);
    }
    pthread_once(&inner, run_inner);
    printf("%d %d\n", outer_runs, inner_runs);
    return 0;
}
