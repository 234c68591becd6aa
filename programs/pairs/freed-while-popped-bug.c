// A stack without locks on the heap. pop() looks below the top node before it owns it; another thread may pop and
// free that node in between.
// expect: kind=use-after-free|data-race line=17|25 exit=1 options=--leaks
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
    free(pop());
    return NULL;
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
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return top ? 1 : 0;
}
