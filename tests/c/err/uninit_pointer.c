// an uninitialised pointer dereferenced
// expect: uninitialised-read 13
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    int v = n->next->value; // BUG
    free(n);
    return v;
}
