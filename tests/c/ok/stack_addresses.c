// addresses of locals used while their functions run: recursion, callbacks, chains of frames
// expect: none
#include <stdio.h>

struct frame {
    const struct frame *caller;
    int n;
};

static int depth_sum(const struct frame *f) {
    int s = 0;
    for (; f; f = f->caller)
        s += f->n;
    return s;
}

static int recurse(const struct frame *caller, int n) {
    struct frame me = {caller, n};
    return n == 0 ? depth_sum(&me) : recurse(&me, n - 1);
}

static void for_each(const int *a, int n, void (*f)(int, void *), void *context) {
    for (int i = 0; i < n; i++)
        f(a[i], context);
}

static void add(int x, void *context) {
    *(int *)context += x;
}

int main(void) {
    int a[4] = {1, 2, 3, 4}, total = 0;
    printf("%d\n", recurse(NULL, 10));
    for_each(a, 4, add, &total);
    printf("%d\n", total);
    int *p = (int[]){7, 8, 9};
    printf("%d\n", p[0] + p[2]);
    return 0;
}
