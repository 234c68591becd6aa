// the same thread joined twice
// expect: thread-misuse 14
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t, NULL); // BUG
    return 0;
}
