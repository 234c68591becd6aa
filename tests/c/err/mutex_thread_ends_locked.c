// a thread ends in the middle of a function, with a spin lock among its local variables held
// expect: mutex-misuse 9 contains local variable `guard` of `worker` ends its life while it is locked
#include <pthread.h>

static void *worker(void *argument) {
    pthread_spinlock_t guard;
    pthread_spin_init(&guard, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&guard);
    pthread_exit(argument); // BUG
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    return pthread_join(thread, NULL);
}
