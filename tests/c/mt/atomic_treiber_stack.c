// Treiber's stack: several threads push, then several threads pop everything
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 3, EACH = 10 };

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static pthread_barrier_t pushed;
static long popped_sum[N];
static int popped[N];

static void push(struct node *n) {
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed))
        ;
}

static struct node *pop(void) {
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    while (n && !atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acquire,
                                                       memory_order_acquire))
        ;
    return n;
}

static void *work(void *arg) {
    int me = *(int *)arg;
    struct node *mine = calloc(EACH, sizeof *mine);
    for (int i = 0; i < EACH; i++) {
        mine[i].value = me * 100 + i;
        push(&mine[i]);
    }
    pthread_barrier_wait(&pushed);
    for (struct node *n; (n = pop()) != NULL;) {
        popped[me]++;
        popped_sum[me] += n->value;
    }
    return mine;
}

int main(void) {
    pthread_t t[N];
    int id[N], count = 0;
    long sum = 0;
    void *memory[N];
    pthread_barrier_init(&pushed, NULL, N);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, work, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], &memory[i]);
    for (int i = 0; i < N; i++) {
        count += popped[i];
        sum += popped_sum[i];
        free(memory[i]);
    }
    printf("%d popped, sum %ld, empty %d\n", count, sum, atomic_load(&top) == NULL);
    return 0;
}
