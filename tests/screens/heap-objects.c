// Two objects of one malloc: which is which must be seen.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>
struct node { _Atomic(struct node *) next; atomic_int value; };
static _Atomic(struct node *) head;
static struct node *make(int v, struct node *next) {
    struct node *n = malloc(sizeof *n);
    atomic_init(&n->value, v);
    atomic_init(&n->next, next);
    return n;
}
static void *bump(void *x) {
    struct node *first = atomic_load(&head);
    struct node *second = atomic_load(&first->next);
    int v = atomic_load(&first->value);
    atomic_store(&second->value, v + 1);
    atomic_store(&first->value, v + 1);
    return x;
}
int main(void) {
    head = make(1, make(2, 0));
    pthread_t a, b;
    pthread_create(&a, 0, bump, 0);
    pthread_create(&b, 0, bump, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    struct node *h = head;
    assert(h->value == 3 && h->next->value == 3);
}
