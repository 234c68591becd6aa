// two flag bits kept in the low bits of aligned pointers
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    uintptr_t next;
};

static struct node *target(uintptr_t p) {
    return (struct node *)(p & ~(uintptr_t)3);
}

int main(void) {
    uintptr_t head = 0;
    for (int i = 0; i < 6; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = head;
        head = (uintptr_t)n | (uintptr_t)(i % 4);
    }
    while (target(head)) {
        struct node *n = target(head);
        printf("%d tag %d\n", n->value, (int)(head & 3));
        head = n->next;
        free(n);
    }
    return 0;
}
