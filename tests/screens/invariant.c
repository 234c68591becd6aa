// Plain variables under a mutex, and an invariant over both: a free item is counted before it is taken out of use.
// options: --invariant every_item_is_somewhere
#include <pthread.h>

enum { ITEMS = 2 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct { int used, free; } pool = {0, ITEMS};

_Bool every_item_is_somewhere(void) {
    return pool.used + pool.free <= ITEMS;
}

static void *use(void *unused) {
    (void)unused;
    pthread_mutex_lock(&m);
    pool.used++;
    pool.free--;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    use(NULL);
    pthread_join(t, NULL);
    return 0;
}
