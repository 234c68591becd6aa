// a sequence lock whose data are atomics: readers never see a torn pair
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WRITES = 20, READS = 20 };

static atomic_uint seq;
static atomic_int a, b;

static void *writer(void *arg) {
    (void)arg;
    for (int i = 1; i <= WRITES; i++) {
        atomic_fetch_add(&seq, 1);
        atomic_store(&a, i);
        atomic_store(&b, -i);
        atomic_fetch_add(&seq, 1);
    }
    return NULL;
}

static void *reader(void *arg) {
    int *torn = arg;
    for (int i = 0; i < READS; i++) {
        unsigned before, after;
        int x, y;
        do {
            while ((before = atomic_load(&seq)) & 1)
                sched_yield();
            x = atomic_load(&a);
            y = atomic_load(&b);
            after = atomic_load(&seq);
        } while (before != after);
        *torn += x + y != 0;
    }
    return NULL;
}

int main(void) {
    pthread_t w, r[2];
    int torn[2] = {0, 0};
    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&r[i], NULL, reader, &torn[i]);
    pthread_join(w, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(r[i], NULL);
    printf("torn %d %d seq %u a %d b %d\n", torn[0], torn[1], seq, a, b);
    return 0;
}
