// a thread that is joined not by its creator but by a sibling
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *work(void *arg) {
    return (void *)((intptr_t)arg * 7);
}

static void *joiner(void *arg) {
    void *r;
    pthread_join(*(pthread_t *)arg, &r);
    return (void *)((intptr_t)r + 1);
}

int main(void) {
    pthread_t w, j;
    void *r;
    pthread_create(&w, NULL, work, (void *)(intptr_t)6);
    pthread_create(&j, NULL, joiner, &w);
    pthread_join(j, &r);
    printf("%ld\n", (long)(intptr_t)r);
    return 0;
}
