// a 16-bit version packed above a 48-bit address and changed by compare-and-swap
// expect: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    uint64_t next;
    int value;
};

static _Atomic uint64_t top;

static uint64_t pack(struct node *p, unsigned tag) {
    return (uint64_t)(uintptr_t)p | (uint64_t)(tag & 0xffff) << 48;
}

static struct node *pointer_of(uint64_t v) {
    return (struct node *)(uintptr_t)(v & 0xffffffffffffu);
}

static void push(struct node *n) {
    uint64_t old = atomic_load(&top);
    do
        n->next = old;
    while (!atomic_compare_exchange_weak(&top, &old, pack(n, (unsigned)(old >> 48) + 1)));
}

static void *work(void *arg) {
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = *(int *)arg + i;
        push(n);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int base[2] = {10, 200}, sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &base[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("tag %d\n", (int)(top >> 48));
    for (struct node *n = pointer_of(top); n;) {
        struct node *next = pointer_of(n->next);
        sum += n->value;
        free(n);
        n = next;
    }
    printf("sum %d\n", sum);
    return 0;
}
