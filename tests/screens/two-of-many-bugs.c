// options: --max-bugs 2
// It ended with the second bug: there may be others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int steps;

static void *climber(void *arg) {
    for (int i = 0; i < 3; i++)
        steps++;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, climber, NULL);
    assert(steps != 1);
    assert(steps != 2);
    assert(steps != 3);
    pthread_join(thread, NULL);
    return 0;
}
