// return from main while a thread still runs an endless loop with yields
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_ulong ticks;

static void *ticker(void *arg) {
    (void)arg;
    for (;;) {
        atomic_fetch_add(&ticks, 1);
        sched_yield();
    }
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, ticker, NULL);
    while (atomic_load(&ticks) < 3)
        sched_yield();
    printf("ticking\n");
    return 42;
}
