// a spin lock locked twice by the same thread
// expect: deadlock 0
#include <pthread.h>

int main(void) {
    pthread_spinlock_t l;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&l);
    pthread_spin_lock(&l);
    return 0;
}
