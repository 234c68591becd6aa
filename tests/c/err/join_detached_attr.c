// a thread created detached by its attributes, then joined
// expect: thread-misuse 17
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, NULL);
    pthread_attr_destroy(&attr);
    pthread_join(t, NULL); // BUG
    return 0;
}
