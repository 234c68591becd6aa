// thread-local objects are fresh for every thread, also when a stack is used again
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static _Thread_local unsigned char bytes[300];
static _Thread_local int *self = NULL;
static _Thread_local long base = 1L << 40;

static void *work(void *arg) {
    intptr_t stale = 0;
    for (int i = 0; i < 300; i++)
        stale += bytes[i];
    stale += self != NULL;
    stale += base != 1L << 40;
    for (int i = 0; i < 300; i++)
        bytes[i] = 0xee;
    self = arg;
    base = 0;
    return (void *)stale;
}

int main(void) {
    long stale = 0;
    for (int i = 0; i < 12; i++) {
        pthread_t t;
        void *r;
        pthread_create(&t, NULL, work, &i);
        pthread_join(t, &r);
        stale += (intptr_t)r;
    }
    printf("stale %ld\n", stale);
    return 0;
}
