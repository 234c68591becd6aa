// structs with padding: assigned, passed, returned, copied with memcpy, compared by member
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char c;
    int i;
    char d;
    double x;
    short s;
};

static struct padded make(int n) {
    struct padded p;
    p.c = (char)('a' + n);
    p.i = n * 100;
    p.d = (char)('z' - n);
    p.x = n / 4.0;
    p.s = (short)-n;
    return p;
}

static int equal(struct padded a, const struct padded *b) {
    return a.c == b->c && a.i == b->i && a.d == b->d && a.x == b->x && a.s == b->s;
}

int main(void) {
    struct padded a = make(3), b, *h = malloc(sizeof *h);
    b = a;
    memcpy(h, &b, sizeof b);
    printf("%d %d\n", equal(a, &b), equal(*h, &a));
    h->i++;
    *h = (struct padded){h->c, h->i, h->d, h->x, h->s};
    printf("%d %c %d %c %g %d\n", equal(*h, &a), h->c, h->i, h->d, h->x, h->s);
    free(h);
    return 0;
}
