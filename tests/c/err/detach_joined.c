// a joined thread detached
// expect: thread-misuse 14
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_detach(t); // BUG
    return 0;
}
