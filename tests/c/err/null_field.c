// read of a field of a null struct pointer (a small address, not 0)
// expect: null-dereference 15
#include <stddef.h>

struct node {
    long key;
    char name[40];
    struct node *next;
};

int main(void) {
    struct node last = {1, "last", NULL};
    struct node first = {0, "first", &last};
    struct node *n = &first;
    while (n->name[0] != 'x') // BUG
        n = n->next;
    return 0;
}
