// a global semaphore is all zero, but nobody has initialised it: waiting for it is no deadlock
// expect: thread-misuse 7 object `ready` contains only sem_init makes a semaphore
#include <semaphore.h>
static sem_t ready;

int main(void) {
    return sem_wait(&ready); // BUG
}
