// a doubly linked list with one link field: the exclusive or of both neighbours
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    uintptr_t both;
};

static struct node *step(struct node *from, struct node *at) {
    return (struct node *)(at->both ^ (uintptr_t)from);
}

int main(void) {
    struct node *first = NULL, *last = NULL;
    for (int i = 1; i <= 5; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->both = (uintptr_t)last;
        if (last)
            last->both ^= (uintptr_t)n;
        else
            first = n;
        last = n;
    }
    for (struct node *before = NULL, *n = first, *next; n; before = n, n = next) {
        next = step(before, n);
        printf("%d ", n->value);
    }
    for (struct node *after = NULL, *n = last; n;) {
        struct node *next = step(after, n);
        printf("%d ", n->value);
        after = n;
        n = next;
    }
    printf("\n");
    struct node *before = NULL, *n = first;
    while (n) {
        struct node *next = step(before, n);
        uintptr_t here = (uintptr_t)n;
        free(n);
        before = NULL;
        if (next)
            next->both ^= here;
        n = next;
    }
    return 0;
}
