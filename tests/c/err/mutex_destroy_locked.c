// a mutex destroyed while it is locked
// expect: mutex-misuse 10
#include <pthread.h>
#include <stddef.h>

int main(void) {
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_destroy(&m); // BUG
    return 0;
}
