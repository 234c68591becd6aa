// a thread-local array overrun in a thread
// expect: out-of-bounds 10 object slots
#include <pthread.h>
#include <stddef.h>

static _Thread_local int slots[3];

static void *work(void *arg) {
    for (int i = 0; i < *(int *)arg; i++)
        slots[i] = i; // BUG
    return NULL;
}

int main(void) {
    pthread_t t;
    int n = 4;
    pthread_create(&t, NULL, work, &n);
    pthread_join(t, NULL);
    return 0;
}
