// a heap object published by an atomic pointer, replaced by copy, read by others
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int version;
    int values[4];
    struct config *older;
};

static _Atomic(struct config *) current;

static void *reader(void *arg) {
    int *bad = arg, seen = 0;
    while (seen < 8) {
        struct config *c = atomic_load_explicit(&current, memory_order_acquire);
        if (c == NULL) {
            sched_yield();
            continue;
        }
        for (int i = 0; i < 4; i++)
            *bad += c->values[i] != c->version * (i + 1);
        *bad += c->version < seen;
        seen = c->version;
        sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int bad[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, &bad[i]);
    for (int v = 1; v <= 8; v++) {
        struct config *c = malloc(sizeof *c);
        c->version = v;
        for (int i = 0; i < 4; i++)
            c->values[i] = v * (i + 1);
        c->older = atomic_load_explicit(&current, memory_order_relaxed);
        atomic_store_explicit(&current, c, memory_order_release);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int freed = 0;
    for (struct config *c = current, *older; c; c = older, freed++) {
        older = c->older;
        free(c);
    }
    printf("bad %d %d freed %d\n", bad[0], bad[1], freed);
    return 0;
}
