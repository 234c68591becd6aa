// an object with an atomic reference count: the last owner frees it
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct shared {
    atomic_int refs;
    atomic_int uses;
    int payload[4];
};

static atomic_int freed, final_uses;

static void release(struct shared *s) {
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1) {
        atomic_store(&final_uses, s->uses);
        atomic_fetch_add(&freed, 1);
        free(s);
    }
}

static void *use(void *arg) {
    struct shared *s = arg;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += s->payload[i];
    atomic_fetch_add_explicit(&s->uses, sum, memory_order_relaxed);
    release(s);
    return NULL;
}

int main(void) {
    pthread_t t[4];
    struct shared *s = malloc(sizeof *s);
    atomic_init(&s->refs, 1);
    atomic_init(&s->uses, 0);
    for (int i = 0; i < 4; i++)
        s->payload[i] = i + 1;
    for (int i = 0; i < 4; i++) {
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
        pthread_create(&t[i], NULL, use, s);
    }
    release(s);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("freed %d uses %d\n", freed, final_uses);
    return 0;
}
