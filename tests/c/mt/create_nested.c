// threads that create and join threads: a tree of depth four computes Fibonacci numbers
#include <pthread.h>
#include <stdio.h>

struct node {
    int n;
    int depth;
    long value;
};

static void *fib(void *arg) {
    struct node *me = arg;
    if (me->n < 2) {
        me->value = me->n;
        return NULL;
    }
    struct node a = {me->n - 1, me->depth + 1, 0};
    struct node b = {me->n - 2, me->depth + 1, 0};
    if (me->depth < 3) {
        pthread_t t;
        pthread_create(&t, NULL, fib, &a);
        fib(&b);
        pthread_join(t, NULL);
    } else {
        fib(&a);
        fib(&b);
    }
    me->value = a.value + b.value;
    return NULL;
}

int main(void) {
    for (int n = 5; n <= 9; n++) {
        struct node root = {n, 0, 0};
        fib(&root);
        printf("fib(%d) = %ld\n", n, root.value);
    }
    return 0;
}
