// A thread locks what it holds, after another one has ended.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *quick(void *x) { return x; }
static void *again(void *x) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&b, 0, quick, 0);
    pthread_create(&a, 0, again, 0);
    pthread_join(b, 0);
    pthread_join(a, 0);
}
