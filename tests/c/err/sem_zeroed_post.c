// a semaphore in zeroed memory is posted before it is initialised
// expect: thread-misuse 7 contains only sem_init makes a semaphore
#include <semaphore.h>
static struct { int jobs; sem_t ready; } queue;

int main(void) {
    sem_post(&queue.ready); // BUG
    return sem_init(&queue.ready, 0, 0);
}
