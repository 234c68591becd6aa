// two structs own the same buffer after a shallow copy
// expect: double-free 10
#include <stdlib.h>

struct text {
    char *data;
};

static void destroy(struct text *t) {
    free(t->data); // BUG
    t->data = NULL;
}

int main(void) {
    struct text a = {malloc(5)};
    struct text b = a;
    destroy(&a);
    destroy(&b);
    return 0;
}
