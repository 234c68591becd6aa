// Treiber's stack of indices with a version counter packed beside the index: push and pop mixed, nodes used again
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { NODES = 6, N = 3, ROUNDS = 12 };

static atomic_uint next_of[NODES + 1];
static _Atomic uint64_t top;
static int value[NODES + 1];

static void push(uint32_t i) {
    uint64_t old = atomic_load(&top), new;
    do {
        atomic_store(&next_of[i], (uint32_t)old);
        new = ((old >> 32) + 1) << 32 | i;
    } while (!atomic_compare_exchange_weak(&top, &old, new));
}

static uint32_t pop(void) {
    uint64_t old = atomic_load(&top), new;
    do {
        if ((uint32_t)old == 0)
            return 0;
        new = ((old >> 32) + 1) << 32 | atomic_load(&next_of[(uint32_t)old]);
    } while (!atomic_compare_exchange_weak(&top, &old, new));
    return (uint32_t)old;
}

static void *work(void *arg) {
    int *done = arg;
    while (*done < ROUNDS) {
        uint32_t i = pop();
        if (i == 0)
            continue;
        value[i]++;
        ++*done;
        push(i);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int done[N] = {0}, sum = 0, members = 0;
    for (uint32_t i = 1; i <= NODES; i++)
        push(i);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, &done[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (uint32_t i; (i = pop()) != 0; members++)
        sum += value[i];
    printf("members %d sum %d version %lu\n", members, sum, (unsigned long)(top >> 32));
    return 0;
}
