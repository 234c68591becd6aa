// A deadline may pass before the other thread has run.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int ready;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec; }
static void *setter(void *x) { ready = 1; return x; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, setter, 0);
    long deadline = now() + 1;
    while (!ready && now() < deadline)
        ;
    assert(ready);
    pthread_join(a, 0);
}
