// bit-fields stored into fresh structs: the untouched neighbours are not used
// expect: none
#include <stdio.h>
#include <stdlib.h>

struct bits {
    unsigned a : 3;
    int b : 6;
    unsigned c : 15;
    unsigned long d : 33;
    _Bool e : 1;
};

static int check(const struct bits *p) {
    return p->a == 5 && p->b == -7;
}

int main(void) {
    struct bits x;
    x.a = 5;
    x.b = -7;
    if (check(&x))
        printf("local %u %d\n", x.a, x.b);
    struct bits *h = malloc(sizeof *h);
    h->d = 0x1ffffffffu;
    h->e = 1;
    if (h->e && h->d > 5)
        printf("heap %lx\n", (unsigned long)h->d);
    h->a = 2;
    h->b = 0;
    h->c = h->a * 1000u;
    struct bits copy = *h;
    if (copy.c == 2000)
        printf("all %u %d %u\n", copy.a, copy.b, copy.c);
    free(h);
    return 0;
}
