/* Very many small steps. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;
static int plain[64];

static void *worker(void *arg) {
    for (int i = 0; i < 30000; i++) {
        int seen = atomic_fetch_add(&count, 1);
        if (arg)
            plain[seen & 63] = i;
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &count);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
