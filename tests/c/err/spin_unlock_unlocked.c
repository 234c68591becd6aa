// a spin lock unlocked without a lock
// expect: mutex-misuse 8
#include <pthread.h>

int main(void) {
    pthread_spinlock_t l;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_unlock(&l); // BUG
    return 0;
}
