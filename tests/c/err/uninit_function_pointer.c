// a call through an uninitialised function pointer
// expect: uninitialised-read 13
#include <stdlib.h>

struct handler {
    int id;
    int (*run)(int);
};

int main(void) {
    struct handler *h = malloc(sizeof *h);
    h->id = 1;
    int r = h->run(h->id); // BUG
    free(h);
    return r;
}
