// merge sort that sorts the halves in threads down to a depth
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { LEN = 64 };

struct range {
    int *a, *tmp;
    int n, depth;
};

static void *sort(void *arg) {
    struct range *r = arg;
    if (r->n < 2)
        return NULL;
    int half = r->n / 2;
    struct range left = {r->a, r->tmp, half, r->depth - 1};
    struct range right = {r->a + half, r->tmp + half, r->n - half, r->depth - 1};
    if (r->depth > 0) {
        pthread_t t;
        pthread_create(&t, NULL, sort, &left);
        sort(&right);
        pthread_join(t, NULL);
    } else {
        sort(&left);
        sort(&right);
    }
    int i = 0, j = half, k = 0;
    while (i < half || j < r->n)
        r->tmp[k++] = j == r->n || (i < half && r->a[i] <= r->a[j]) ? r->a[i++] : r->a[j++];
    memcpy(r->a, r->tmp, (size_t)r->n * sizeof *r->a);
    return NULL;
}

int main(void) {
    int a[LEN], tmp[LEN];
    unsigned x = 12345;
    for (int i = 0; i < LEN; i++) {
        x = x * 1103515245 + 12345;
        a[i] = (int)(x >> 16 & 0x3ff);
    }
    struct range all = {a, tmp, LEN, 3};
    sort(&all);
    for (int i = 0; i < LEN; i++)
        printf("%d%c", a[i], i % 16 == 15 ? '\n' : ' ');
    return 0;
}
