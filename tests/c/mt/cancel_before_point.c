// a thread that ends before it meets a cancellation point is not cancelled
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg) {
    pthread_mutex_lock(&m);
    *(int *)arg += 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    int n = 4;
    pthread_t t;
    void *r;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, work, &n);
    pthread_cancel(t);
    pthread_mutex_unlock(&m);
    pthread_join(t, &r);
    printf("%d %d\n", n, r == &n);
    return 0;
}
