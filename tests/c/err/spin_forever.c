// threads that wait in loops for what nobody does, and one that waits for them
// expect: livelock 11 contains 2 threads wait in loops for ever contains thread 0.0 (`wait_for_it`) waits for `ready` (0) to change contains thread 0.1 (`take_it`) waits for `taken._Value` (true) to change
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void *wait_for_it(void *arg) {
    while (!atomic_load(&ready)) { // BUG
    }
    return arg;
}

static void *take_it(void *arg) {
    while (atomic_flag_test_and_set(&taken)) {
    }
    atomic_store(&ready, 1);
    return arg;
}

int main(void) {
    pthread_t threads[2];
    atomic_flag_test_and_set(&taken);
    pthread_create(&threads[0], NULL, wait_for_it, NULL);
    pthread_create(&threads[1], NULL, take_it, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
