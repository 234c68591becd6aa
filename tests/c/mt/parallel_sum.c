// parallel sum: slices by argument, partial results by return value in the heap
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEN = 200, N = 4 };

static int data[LEN];

static void *sum_slice(void *arg) {
    int *from = arg;
    long *sum = calloc(1, sizeof *sum);
    for (int i = 0; i < LEN / N; i++)
        *sum += from[i];
    return sum;
}

int main(void) {
    pthread_t t[N];
    long total = 0;
    for (int i = 0; i < LEN; i++)
        data[i] = i * 37 % 101 - 20;
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, sum_slice, &data[i * (LEN / N)]);
    for (int i = 0; i < N; i++) {
        void *r;
        pthread_join(t[i], &r);
        printf("%ld\n", *(long *)r);
        total += *(long *)r;
        free(r);
    }
    printf("total %ld\n", total);
    return 0;
}
