// a list whose head was freed without its tail
// expect: leak 12
// options: --leaks
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *head = malloc(sizeof *head);
    head->next = malloc(sizeof *head); // BUG
    head->next->next = NULL;
    free(head);
    return 0;
}
