// _Exit from a thread: no handlers; stdout was flushed before
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void handler(void) {
    printf("not printed\n");
    fflush(stdout);
}

static void *quitter(void *arg) {
    printf("leaving with %d\n", *(int *)arg);
    fflush(stdout);
    _Exit(*(int *)arg);
}

int main(void) {
    int code = 17;
    atexit(handler);
    pthread_t t;
    pthread_create(&t, NULL, quitter, &code);
    pthread_join(t, NULL);
    return 1;
}
