// a semaphore is waited for that has been destroyed
// expect: thread-misuse 9 object `sem` contains is used after it was destroyed
#include <semaphore.h>

int main(void) {
    static sem_t sem;
    sem_init(&sem, 0, 0);
    sem_destroy(&sem);
    return sem_wait(&sem); // BUG
}
