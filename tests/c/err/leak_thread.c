// a thread returns a block that main throws away
// expect: leak 8
// options: --leaks
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    int *r = malloc(sizeof *r); // BUG
    *r = *(int *)arg + 1;
    return r;
}

int main(void) {
    pthread_t t;
    int n = 1;
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, NULL);
    return 0;
}
