// vectors of _Bool: their bits share bytes, of which some belong to nobody
#include <stdio.h>

typedef _Bool bits4 __attribute__((ext_vector_type(4)));
typedef _Bool bits12 __attribute__((ext_vector_type(12)));

static bits4 global = {0, 1, 1, 0};

static int sum4(bits4 v) {
    return v[0] + 2 * v[1] + 4 * v[2] + 8 * v[3];
}

static int sum12(bits12 v) {
    int sum = 0;
    for (int i = 0; i < 12; i++)
        sum = 2 * sum + v[i];
    return sum;
}

int main(void) {
    bits4 a = {1, 0, 1, 1}, b = {0, 0, 1, 0};
    volatile int x = 1;
    bits4 c = {x, !x, x, x};
    bits12 d = {1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0};
    printf("%d %d %d %d\n", sum4(a), sum4(b), sum4(c), sum4(global));
    printf("%d %d %d\n", sum4(a & b), sum4(a | b), sum4(~c));
    printf("%d %d\n", sum12(d), sum12(~d));
    a[x] = 1;
    d[11] = x;
    printf("%d %d\n", sum4(a), sum12(d));
    return sum4(a);
}
