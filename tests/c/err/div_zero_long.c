// long remainder by zero in a thread
// expect: crash 8
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    long *v = arg;
    v[0] = v[0] % v[1]; // BUG
    return NULL;
}

int main(void) {
    pthread_t t;
    long v[2] = {17, 0};
    pthread_create(&t, NULL, work, v);
    pthread_join(t, NULL);
    return (int)v[0];
}
