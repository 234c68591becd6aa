// a flexible array member written beyond its allocation
// expect: out-of-bounds 14
#include <stdlib.h>

struct list {
    int n;
    int item[];
};

int main(void) {
    struct list *l = malloc(sizeof *l + 3 * sizeof(int));
    l->n = 4;
    for (int i = 0; i < l->n; i++)
        l->item[i] = i; // BUG
    free(l);
    return 0;
}
