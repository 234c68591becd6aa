// matrix multiplication: rows are handed out by an atomic counter
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N = 8, THREADS = 3 };

static double a[N][N], b[N][N], c[N][N];
static atomic_int next_row;

static void *work(void *arg) {
    (void)arg;
    for (int i; (i = atomic_fetch_add(&next_row, 1)) < N;)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = i - j * 0.5;
            b[i][j] = (i + j) % 3;
        }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    double trace = 0;
    for (int i = 0; i < N; i++) {
        trace += c[i][i];
        printf("%.1f %.1f\n", c[i][0], c[i][N - 1]);
    }
    printf("trace %.2f\n", trace);
    return 0;
}
