// a ticket lock: fetch_add for the ticket, spin until it is served
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint next_ticket, serving;
static unsigned long text_hash = 5381;
static int entries;

static void *work(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
        while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
            sched_yield();
        text_hash = text_hash * 33 + mine;
        entries++;
        atomic_store_explicit(&serving, mine + 1, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %lu\n", entries, text_hash);
    return 0;
}
