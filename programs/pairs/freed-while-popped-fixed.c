// A stack without locks on the heap. What was popped is freed when no thread can look at it any more: after the
// joins.
// expect: proved options=--leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *below;
};

static _Atomic(struct node *) top;

static struct node *pop(void)
{
    struct node *seen = top;
    while (seen && !atomic_compare_exchange_strong(&top, &seen, seen->below))
        ;
    return seen;
}

static void *work(void *unused)
{
    (void)unused;
    return pop();
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node)
            return 1;
        node->below = top;
        top = node;
    }
    pthread_t threads[2];
    void *popped[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &popped[i]);
    for (int i = 0; i < 2; i++)
        free(popped[i]);
    return top ? 1 : 0;
}
