// a thread joins itself
// expect: thread-misuse 7
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    pthread_join(pthread_self(), NULL); // BUG
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
