// a C11 thread joined twice
// expect: thread-misuse 16
#include <stddef.h>
#include <threads.h>

static int work(void *arg) {
    (void)arg;
    return 1;
}

int main(void) {
    thrd_t t;
    int a, b;
    thrd_create(&t, work, NULL);
    thrd_join(t, &a);
    thrd_join(t, &b); // BUG
    return 0;
}
