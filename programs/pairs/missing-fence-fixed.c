// A message behind a relaxed flag, with a release fence before the flag is set and an acquire fence after it was seen.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int flag;

static void *writer(void *u)
{
    message = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return u;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(message == 42);
    }
    pthread_join(t, NULL);
    return 0;
}
