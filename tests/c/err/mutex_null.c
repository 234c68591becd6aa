// lock of a null mutex
// expect: null-dereference 12
#include <pthread.h>
#include <stddef.h>

struct queue {
    pthread_mutex_t *lock;
};

int main(void) {
    struct queue q = {NULL};
    pthread_mutex_lock(q.lock); // BUG
    return 0;
}
