// a function returns while a mutex among its local variables is locked
// expect: mutex-misuse 10 contains local variable `guard` of `worker` ends its life while it is locked
#include <pthread.h>
#include <stdio.h>

static void worker(int *count) {
    pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&guard);
    ++*count;
} // BUG

int main(void) {
    int count = 0;
    worker(&count);
    printf("%d\n", count);
    return 0;
}
