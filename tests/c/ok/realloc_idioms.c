// realloc: from NULL, growing, shrinking, to the same size, a growing vector
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    int *item;
    size_t n, cap;
};

static void push(struct vector *v, int x) {
    if (v->n == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 1;
        int *bigger = realloc(v->item, v->cap * sizeof *bigger);
        if (!bigger)
            exit(1);
        v->item = bigger;
    }
    v->item[v->n++] = x;
}

int main(void) {
    struct vector v = {0};
    for (int i = 0; i < 20; i++)
        push(&v, i * i);
    printf("%zu %zu %d %d\n", v.n, v.cap, v.item[0], v.item[19]);
    v.item = realloc(v.item, 3 * sizeof(int));
    printf("%d %d %d\n", v.item[0], v.item[1], v.item[2]);
    v.item = realloc(v.item, 3 * sizeof(int));
    v.item[2]++;
    printf("%d\n", v.item[2]);
    free(v.item);
    char *s = realloc(NULL, 6);
    strcpy(s, "hello");
    s = realloc(s, 100);
    strcat(s, " world");
    puts(s);
    free(s);
    return 0;
}
