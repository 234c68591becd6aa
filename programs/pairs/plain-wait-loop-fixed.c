// A loop that waits for a flag. The flag is atomic.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static void *setter(void *u) { ready = 1; return u; }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    while (!ready)
        ;
    pthread_join(t, NULL);
    return 0;
}
