// read of a freed list node while walking the list
// expect: use-after-free 21
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *head = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = head;
        n->value = i;
        head = n;
    }
    struct node *n = head;
    while (n) {
        free(n);
        n = n->next; // BUG
    }
    return 0;
}
