// exactly one thread of each round gets PTHREAD_BARRIER_SERIAL_THREAD
#include <pthread.h>
#include <stdio.h>

enum { N = 4, ROUNDS = 6 };

static pthread_barrier_t bar;
static int serial[N][ROUNDS], other[N][ROUNDS];

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int r = 0; r < ROUNDS; r++) {
        int rc = pthread_barrier_wait(&bar);
        if (rc == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[me][r] = 1;
        else if (rc == 0)
            other[me][r] = 1;
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    printf("init %d\n", pthread_barrier_init(&bar, NULL, N));
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int r = 0; r < ROUNDS; r++) {
        int s = 0, o = 0;
        for (int i = 0; i < N; i++) {
            s += serial[i][r];
            o += other[i][r];
        }
        printf("round %d: serial %d other %d\n", r, s, o);
    }
    printf("destroy %d\n", pthread_barrier_destroy(&bar));
    return 0;
}
