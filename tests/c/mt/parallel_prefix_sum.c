// prefix sums by doubling with a barrier between the steps
#include <pthread.h>
#include <stdio.h>

enum { N = 4, LEN = 32 };

static pthread_barrier_t bar;
static int buf[2][LEN];

static void *work(void *arg) {
    int me = *(int *)arg, from = me * LEN / N, to = from + LEN / N, cur = 0;
    for (int d = 1; d < LEN; d *= 2, cur = !cur) {
        for (int i = from; i < to; i++)
            buf[!cur][i] = buf[cur][i] + (i >= d ? buf[cur][i - d] : 0);
        pthread_barrier_wait(&bar);
    }
    *(int *)arg = cur;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i < LEN; i++)
        buf[0][i] = i % 5 + 1;
    pthread_barrier_init(&bar, NULL, N);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < LEN; i++)
        printf("%d ", buf[id[0]][i]);
    printf("\n");
    return 0;
}
