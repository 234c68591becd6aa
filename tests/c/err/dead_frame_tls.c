// a pointer to a thread-local object of a thread that was joined
// expect: use-after-free 19 contains thread-local `counter` whose thread has ended
#include <pthread.h>
#include <stddef.h>

static _Thread_local int counter = 5;

static void *work(void *arg) {
    (void)arg;
    counter++;
    return &counter;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &r);
    return *(int *)r; // BUG
}
