// atomics in malloc'ed memory, set by atomic_init, used by threads, freed after the join
// expect: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct counters {
    atomic_int a;
    _Atomic long b[3];
    atomic_flag f;
};

static void *work(void *arg) {
    struct counters *c = arg;
    for (int i = 0; i < 9; i++) {
        atomic_fetch_add(&c->a, 1);
        atomic_fetch_add(&c->b[i % 3], i);
    }
    atomic_flag_test_and_set(&c->f);
    return NULL;
}

int main(void) {
    struct counters *c = malloc(sizeof *c);
    atomic_init(&c->a, 0);
    for (int i = 0; i < 3; i++)
        atomic_init(&c->b[i], 0);
    atomic_flag_clear(&c->f);
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, c);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %ld %ld %ld %d\n", c->a, c->b[0], c->b[1], c->b[2], atomic_flag_test_and_set(&c->f));
    free(c);
    return 0;
}
