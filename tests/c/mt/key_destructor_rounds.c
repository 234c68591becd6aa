// a destructor that sets its key again runs again, PTHREAD_DESTRUCTOR_ITERATIONS times at most
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_key_t twice, for_ever;
static int runs_twice, runs_for_ever;

static void drop_twice(void *p) {
    runs_twice++;
    if ((intptr_t)p > 1)
        pthread_setspecific(twice, (void *)((intptr_t)p - 1));
}

static void drop_for_ever(void *p) {
    runs_for_ever++;
    pthread_setspecific(for_ever, p);
}

static void *work(void *arg) {
    pthread_setspecific(twice, (void *)(intptr_t)2);
    pthread_setspecific(for_ever, arg);
    return NULL;
}

int main(void) {
    pthread_key_create(&twice, drop_twice);
    pthread_key_create(&for_ever, drop_for_ever);
    pthread_t t;
    pthread_create(&t, NULL, work, &t);
    pthread_join(t, NULL);
    printf("twice %d for ever %d\n", runs_twice, runs_for_ever == PTHREAD_DESTRUCTOR_ITERATIONS);
    return 0;
}
