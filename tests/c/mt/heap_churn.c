// malloc, calloc, realloc and free at the same time in several threads: blocks do not overlap
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3, BLOCKS = 12 };

static void *churn(void *arg) {
    int me = *(int *)arg, bad = 0;
    unsigned char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = (size_t)(8 + i * 5 + me);
        block[i] = i % 2 ? malloc(size) : calloc(size, 1);
        for (size_t k = 0; i % 2 == 0 && k < size; k++)
            bad += block[i][k] != 0;
        memset(block[i], me * 16 + i, size);
    }
    for (int i = 0; i < BLOCKS; i += 3) {
        block[i] = realloc(block[i], 200);
        memset(block[i] + 8, me * 16 + i, 192);
    }
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = i % 3 == 0 ? 200 : (size_t)(8 + i * 5 + me);
        for (size_t k = 0; k < size; k++)
            bad += block[i][k] != me * 16 + i;
        free(block[i]);
    }
    *(int *)arg = bad;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {1, 2, 3};
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, churn, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("bad %d %d %d\n", id[0], id[1], id[2]);
    return 0;
}
