// A thread waits in a loop with the lock that the other one needs to end its wait.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready, turn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *consumer(void *x) {
    pthread_mutex_lock(&m);
    while (!atomic_load(&ready) || atomic_load(&turn) != 1)
        ;
    pthread_mutex_unlock(&m);
    return x;
}
static void *producer(void *x) {
    atomic_store(&turn, 1);
    pthread_mutex_lock(&m);
    atomic_store(&ready, 1);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consumer, 0);
    pthread_create(&b, 0, producer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
