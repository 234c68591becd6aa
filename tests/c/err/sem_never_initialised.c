// a semaphore that nobody has initialised is waited for
// expect: thread-misuse 7 object `sem` contains is used before it was initialised
#include <semaphore.h>

int main(void) {
    sem_t sem;
    return sem_wait(&sem); // BUG
}
