// an atomic read-modify-write on freed memory
// expect: use-after-free 11
#include <stdatomic.h>
#include <stdlib.h>

int main(void) {
    atomic_int *refs = malloc(sizeof *refs);
    atomic_init(refs, 1);
    if (atomic_fetch_sub(refs, 1) == 1)
        free(refs);
    return atomic_load(refs); // BUG
}
