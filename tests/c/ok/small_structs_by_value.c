// small structs with padding travel in registers; their unset padding is no use of it
// expect: none
#include <stdio.h>

struct ic {
    int i;
    char c;
};
struct cs {
    char c;
    short s;
};
struct three {
    char b[3];
};
struct fi {
    float f;
    int i;
    short s;
};

static struct ic f1(struct ic v) {
    v.i++;
    v.c++;
    return v;
}

static struct cs f2(char c, short s) {
    struct cs v;
    v.c = c;
    v.s = s;
    return v;
}

static struct three f3(struct three v) {
    char t = v.b[0];
    v.b[0] = v.b[2];
    v.b[2] = t;
    return v;
}

static struct fi f4(struct fi a, struct fi b) {
    struct fi r;
    r.f = a.f * b.f;
    r.i = a.i + b.i;
    r.s = (short)(a.s - b.s);
    return r;
}

int main(void) {
    struct ic a;
    a.i = 7;
    a.c = 'p';
    a = f1(a);
    struct cs b = f2('q', -9);
    struct three c = f3((struct three){{'x', 'y', 'z'}});
    struct fi d = f4((struct fi){1.5f, 2, 3}, (struct fi){4.0f, 5, 6});
    printf("%d %c %c %d %.3s %.1f %d %d\n", a.i, a.c, b.c, b.s, c.b, (double)d.f, d.i, d.s);
    return 0;
}
