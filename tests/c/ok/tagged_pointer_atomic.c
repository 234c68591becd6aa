// the mark bit of a lock-free list: an atomic uintptr_t holds pointer and flag
// expect: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8 };

struct node {
    int key;
    atomic_uintptr_t next;
};

static struct node *list[N];
static atomic_int marked_by[2];

static void *mark(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < N; i++) {
        uintptr_t old = atomic_load(&list[i]->next);
        while (!(old & 1) && !atomic_compare_exchange_weak(&list[i]->next, &old, old | 1))
            ;
        if (!(old & 1))
            atomic_fetch_add(&marked_by[me], 1);
    }
    return NULL;
}

int main(void) {
    for (int i = N - 1; i >= 0; i--) {
        list[i] = malloc(sizeof *list[i]);
        list[i]->key = i;
        atomic_init(&list[i]->next, i + 1 < N ? (uintptr_t)list[i + 1] : 0);
    }
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, mark, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("marked %d\n", marked_by[0] + marked_by[1]);
    int sum = 0;
    for (struct node *n = list[0], *next; n; n = next) {
        next = (struct node *)(atomic_load(&n->next) & ~(uintptr_t)1);
        sum = sum * 2 + n->key;
        free(n);
    }
    printf("%d\n", sum);
    return 0;
}
