// Nobody reads what it counts: the loop waits as one does that counts nothing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int message;

static void *sender(void *arg) {
    message = 42;
    ready = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    unsigned rounds = 0;
    pthread_create(&thread, NULL, sender, NULL);
    while (!ready)
        rounds++;
    assert(message == 42);
    pthread_join(thread, NULL);
    return 0;
}
