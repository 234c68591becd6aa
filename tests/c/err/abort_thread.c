// abort in a thread while main waits for it
// expect: crash 8
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    (void)arg;
    abort(); // BUG
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
