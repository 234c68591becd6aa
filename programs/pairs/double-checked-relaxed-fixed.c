// Double-checked locking whose fast path reads the pointer with acquire: who sees it sees what it points to.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct service { int port; };
static struct service *_Atomic instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOOK memory_order_acquire

static struct service *get(void)
{
    struct service *s = atomic_load_explicit(&instance, LOOK);
    if (!s) {
        pthread_mutex_lock(&lock);
        s = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!s) {
            s = malloc(sizeof *s);
            s->port = 80;
            atomic_store_explicit(&instance, s, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return s;
}

static void *user(void *u) { assert(get()->port == 80); return u; }

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, user, NULL);
    pthread_create(&t, NULL, user, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
