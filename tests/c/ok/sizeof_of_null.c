// sizeof and offsetof do not evaluate their operands
// expect: none
#include <stddef.h>
#include <stdio.h>

struct big {
    char head[10];
    int tail[5];
};

int main(void) {
    struct big *p = NULL;
    printf("%zu %zu %zu\n", sizeof *p, sizeof p->tail, offsetof(struct big, tail));
    printf("%zu\n", sizeof(p->tail[100]));
    printf("%zu\n", sizeof(*&p->head[20]));
    return p != NULL && p->tail[0];
}
