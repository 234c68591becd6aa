// options: --max-bugs all
// All is explored, and that is said; the second bug shows in fewer schedules.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int opened, closed;

static void *door(void *arg) {
    opened = 1;
    closed = 1;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, door, NULL);
    assert(!opened);
    assert(!closed);
    pthread_join(thread, NULL);
    return 0;
}
