// blocks that globals still point to at the end, directly and through other blocks, are no leaks
// expect: none
// options: --leaks
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct node *cache;
static char *interior;

int main(void) {
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = cache;
        cache = n;
    }
    interior = malloc(100);
    printf("%d\n", cache->value);
    return 0;
}
