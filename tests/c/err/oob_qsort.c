// qsort moves an element whose second half lies outside the array: the report names the program's call
// expect: out-of-bounds 19
#include <stdlib.h>

struct entry {
    long key, value;
};

static int compare(const void *a, const void *b) {
    long x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;
    return (x > y) - (x < y);
}

int main(void) {
    struct entry *e = malloc(3 * sizeof *e + sizeof(long));
    for (int i = 0; i < 3; i++)
        e[i] = (struct entry){10 + i, i};
    *(long *)(e + 3) = 1;
    qsort(e, 4, sizeof *e, compare); // BUG
    free(e);
    return 0;
}
