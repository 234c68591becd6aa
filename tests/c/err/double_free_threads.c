// two threads, one joined before the other starts, free the same object
// expect: double-free 7
#include <pthread.h>
#include <stdlib.h>

static void *drop(void *arg) {
    free(arg); // BUG
    return NULL;
}

int main(void) {
    void *p = malloc(1);
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        pthread_create(&t, NULL, drop, p);
        pthread_join(t, NULL);
    }
    return 0;
}
