// a thread that waits in a loop for what nobody does
// expect: limit 11 contains thread 0.0 (`wait_for_it`) did contains --operation-limit
// options: --operation-limit 100000
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;

static void *wait_for_it(void *arg) {
    while (!atomic_load(&ready)) { // BUG
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_join(thread, NULL);
    return 0;
}
