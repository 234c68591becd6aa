// Michael and Scott's queue over preallocated nodes that are not used again
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PRODUCERS = 2, CONSUMERS = 2, EACH = 12, TOTAL = PRODUCERS * EACH };

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node pool[TOTAL + 1];
static _Atomic(struct node *) head = &pool[0], tail = &pool[0];
static atomic_int consumed;
static int last_seen[CONSUMERS][PRODUCERS], out_of_order[CONSUMERS];
static long sum[CONSUMERS];

static void enqueue(struct node *n) {
    atomic_store(&n->next, NULL);
    for (;;) {
        struct node *t = atomic_load(&tail), *next = atomic_load(&t->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &t, next);
            continue;
        }
        if (atomic_compare_exchange_weak(&t->next, &next, n)) {
            atomic_compare_exchange_strong(&tail, &t, n);
            return;
        }
    }
}

static int dequeue(int *value) {
    for (;;) {
        struct node *h = atomic_load(&head), *t = atomic_load(&tail), *next = atomic_load(&h->next);
        if (!next)
            return 0;
        if (h == t) {
            atomic_compare_exchange_strong(&tail, &t, next);
            continue;
        }
        if (atomic_compare_exchange_weak(&head, &h, next)) {
            *value = next->value;
            return 1;
        }
    }
}

static void *produce(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < EACH; i++) {
        struct node *n = &pool[1 + me * EACH + i];
        n->value = me * 1000 + i + 1;
        enqueue(n);
    }
    return NULL;
}

static void *consume(void *arg) {
    int me = *(int *)arg, value;
    while (atomic_load(&consumed) < TOTAL) {
        if (!dequeue(&value)) {
            sched_yield();
            continue;
        }
        atomic_fetch_add(&consumed, 1);
        sum[me] += value;
        int *last = &last_seen[me][value / 1000];
        if (value % 1000 <= *last)
            out_of_order[me]++;
        *last = value % 1000;
    }
    return NULL;
}

int main(void) {
    pthread_t p[PRODUCERS], c[CONSUMERS];
    int id[2] = {0, 1};
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&c[i], NULL, consume, &id[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&p[i], NULL, produce, &id[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(p[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(c[i], NULL);
    printf("%d consumed, sum %ld, out of order %d\n", consumed, sum[0] + sum[1], out_of_order[0] + out_of_order[1]);
    return 0;
}
