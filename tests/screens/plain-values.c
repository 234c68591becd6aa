// The value that is lost is plain, and well locked: only its accesses tell the story.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, limit = 3;
static int get(void) {
    pthread_mutex_lock(&m);
    int c = count;
    pthread_mutex_unlock(&m);
    return c;
}
static void set(int c) {
    pthread_mutex_lock(&m);
    count = c;
    pthread_mutex_unlock(&m);
}
static void *worker(void *x) {
    int c = get();
    set(c + 1);
    return x;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
}
