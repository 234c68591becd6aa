// pointers to different objects compared for equality, NULL and (void *) conversions
// expect: none
#include <stdio.h>
#include <stdlib.h>

static int a, b;

int main(void) {
    int c, *h = malloc(sizeof *h), *k = malloc(sizeof *k);
    void *v = &a;
    printf("%d %d %d\n", &a == &b, (void *)&c == (void *)h, h != k);
    printf("%d %d %d\n", v == &a, h != NULL, !h);
    char *p = v;
    p += sizeof a;
    p -= sizeof a;
    printf("%d\n", p == (char *)&a);
    free(h);
    free(k);
    return 0;
}
