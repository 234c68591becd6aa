// aligned_alloc and posix_memalign: aligned, usable, freed with free
// expect: none
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    for (size_t align = 16; align <= 4096; align *= 4) {
        char *a = aligned_alloc(align, 2 * align);
        void *b = NULL;
        int rc = posix_memalign(&b, align, 10);
        memset(a, 1, 2 * align);
        memset(b, 2, 10);
        printf("%zu %d %d %d\n", align, (uintptr_t)a % align == 0, (uintptr_t)b % align == 0, rc);
        free(a);
        free(b);
    }
    void *none = NULL;
    printf("bad alignment %d\n", posix_memalign(&none, 3, 10) == EINVAL);
    return 0;
}
