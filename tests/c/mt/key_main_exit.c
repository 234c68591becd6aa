// destructors run when main calls pthread_exit, also after pthread_exit deep inside a thread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;

static void show(void *p) {
    printf("drop %s\n", (char *)p);
}

static void leave(void) {
    pthread_exit(NULL);
}

static void *work(void *arg) {
    pthread_setspecific(key, arg);
    leave();
    return NULL;
}

int main(void) {
    pthread_key_create(&key, show);
    pthread_setspecific(key, (void *)"main");
    pthread_t t;
    pthread_create(&t, NULL, work, (void *)"thread");
    pthread_join(t, NULL);
    leave();
    return 3;
}
