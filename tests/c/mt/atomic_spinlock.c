// a spin lock from atomic_flag with test_and_set and clear
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int balance[2] = {500, 500};

static void enter(void) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        sched_yield();
}

static void leave(void) {
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static void *transfer(void *arg) {
    int from = *(int *)arg;
    for (int i = 1; i <= 20; i++) {
        enter();
        balance[from] -= i;
        balance[!from] += i + from;
        leave();
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int from[3] = {0, 1, 0};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, transfer, &from[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", balance[0], balance[1]);
    return 0;
}
