// a thread dereferences the null argument that it was given
// expect: null-dereference 8
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    int *n = arg;
    (*n)++; // BUG
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
