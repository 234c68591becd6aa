// main ends with pthread_exit and a value; another thread joins main and prints it
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_t main_thread;

static void *joins_main(void *arg) {
    (void)arg;
    void *r;
    int rc = pthread_join(main_thread, &r);
    printf("join %d value %ld\n", rc, (long)(intptr_t)r);
    return NULL;
}

int main(void) {
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, NULL, joins_main, NULL);
    pthread_exit((void *)(intptr_t)77);
}
