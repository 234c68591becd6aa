// a thread that asks again and again for what nobody does, and takes a lock each time
// expect: limit 0 contains thread 0.0 (`ask`) did contains --operation-limit
// options: --operation-limit 100000
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void *ask(void *arg) {
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&lock);
        seen = ready;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
    return 0;
}
