// locks released in the order in which they were taken, and a hand-over-hand list walk
// expect: none
#include <pthread.h>
#include <stdio.h>

enum { N = 5 };

static struct cell {
    pthread_mutex_t m;
    int value;
} cell[N];

static void *walk(void *arg) {
    int add = *(int *)arg;
    pthread_mutex_lock(&cell[0].m);
    for (int i = 0; i < N; i++) {
        cell[i].value += add;
        if (i + 1 < N)
            pthread_mutex_lock(&cell[i + 1].m);
        pthread_mutex_unlock(&cell[i].m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int add[3] = {1, 10, 100};
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&cell[i].m, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, walk, &add[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        printf("%d ", cell[i].value);
    printf("\n");
    return 0;
}
