// a thread cancels itself and goes on up to its next cancellation point
#include <pthread.h>
#include <stdio.h>

static int reached;

static void *work(void *arg) {
    pthread_cancel(pthread_self());
    reached = 1;
    pthread_testcancel();
    reached = 2;
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &r);
    printf("%d %d\n", reached, r == PTHREAD_CANCELED);
    return 0;
}
