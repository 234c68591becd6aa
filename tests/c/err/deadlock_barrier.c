// a barrier for three that only two reach
// expect: deadlock 0
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t bar;

static void *work(void *arg) {
    (void)arg;
    pthread_barrier_wait(&bar);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&bar, NULL, 3);
    pthread_create(&t, NULL, work, NULL);
    pthread_barrier_wait(&bar);
    pthread_join(t, NULL);
    return 0;
}
