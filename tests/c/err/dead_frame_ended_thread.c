// a pointer to a local of a thread that was joined
// expect: use-after-free 18
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg) {
    (void)arg;
    int result = 42;
    int *p = &result;
    return p;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &r);
    return *(int *)r; // BUG
}
