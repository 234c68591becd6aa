// A loop that looks at nothing waits for nothing.
#include <pthread.h>

static void *idler(void *arg) {
    for (;;)
        ;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, idler, NULL);
    pthread_join(thread, NULL);
    return 0;
}
