// a barrier between phases: each phase reads what all threads wrote in the one before
#include <pthread.h>
#include <stdio.h>

enum { N = 4, PHASES = 5 };

static pthread_barrier_t bar;
static int cell[2][N] = {{1, 2, 3, 4}};

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int p = 0; p < PHASES; p++) {
        const int *from = cell[p % 2];
        cell[!(p % 2)][me] = from[me] + from[(me + 1) % N] * 2 - from[(me + 3) % N];
        pthread_barrier_wait(&bar);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    pthread_barrier_init(&bar, NULL, N);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&bar);
    for (int i = 0; i < N; i++)
        printf("%d ", cell[PHASES % 2][i]);
    printf("\n");
    return 0;
}
