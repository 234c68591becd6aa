// exit() called by a thread: handlers run, output is flushed, main never returns
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void first(void) {
    printf("handler registered first runs last\n");
}

static void second(void) {
    printf("handler registered second runs first\n");
}

static void *quitter(void *arg) {
    (void)arg;
    printf("thread leaves\n");
    exit(9);
}

int main(void) {
    atexit(first);
    atexit(second);
    pthread_t t;
    pthread_create(&t, NULL, quitter, NULL);
    pthread_join(t, NULL);
    printf("not reached\n");
    return 0;
}
