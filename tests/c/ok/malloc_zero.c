// blocks of size 0 may be freed and differ from every living block
// expect: none
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void *a = malloc(0), *b = malloc(0), *c = calloc(0, 8), *d = calloc(8, 0);
    void *e = malloc(1);
    printf("%d %d %d %d\n", a != b, c != d, a != e, b != c);
    free(a);
    free(b);
    free(c);
    free(d);
    free(e);
    return 0;
}
