// freed in one function, used in another two calls deeper
// expect: use-after-free 15
#include <stdlib.h>

struct buffer {
    char *data;
    size_t size;
};

static void drop(struct buffer *b) {
    free(b->data);
}

static char last(const struct buffer *b) {
    return b->data[b->size - 1]; // BUG
}

static int check(const struct buffer *b) {
    return last(b) == 0;
}

int main(void) {
    struct buffer b = {calloc(1, 10), 10};
    int ok = check(&b);
    drop(&b);
    return ok && check(&b);
}
