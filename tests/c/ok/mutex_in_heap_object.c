// a mutex and a condition variable inside a heap object that is destroyed and freed after the last use
// expect: none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t m;
    pthread_cond_t c;
    int full, value;
};

static void *put(void *arg) {
    struct box *b = arg;
    pthread_mutex_lock(&b->m);
    b->value = 9;
    b->full = 1;
    pthread_cond_broadcast(&b->c);
    pthread_mutex_unlock(&b->m);
    return NULL;
}

int main(void) {
    for (int round = 0; round < 3; round++) {
        struct box *b = malloc(sizeof *b);
        pthread_mutex_init(&b->m, NULL);
        pthread_cond_init(&b->c, NULL);
        b->full = 0;
        pthread_t t;
        pthread_create(&t, NULL, put, b);
        pthread_mutex_lock(&b->m);
        while (!b->full)
            pthread_cond_wait(&b->c, &b->m);
        int v = b->value;
        pthread_mutex_unlock(&b->m);
        pthread_join(t, NULL);
        pthread_cond_destroy(&b->c);
        pthread_mutex_destroy(&b->m);
        free(b);
        printf("%d\n", v + round);
    }
    return 0;
}
