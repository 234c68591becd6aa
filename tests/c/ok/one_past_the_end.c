// pointers one past the end are formed, compared and subtracted, never dereferenced
// expect: none
#include <stdio.h>
#include <stdlib.h>

static int sum(const int *from, const int *end) {
    int s = 0;
    while (from != end)
        s += *from++;
    return s;
}

int main(void) {
    int local[4] = {1, 2, 3, 4}, scalar = 5;
    static int global[3] = {10, 20, 30};
    int *heap = malloc(2 * sizeof *heap);
    heap[0] = 100;
    heap[1] = 200;
    printf("%d %d %d %d\n", sum(local, local + 4), sum(global, &global[3]), sum(heap, heap + 2),
           sum(&scalar, &scalar + 1));
    printf("%d\n", (int)(&local[4] - local));
    for (int *p = local + 4; p > local;)
        printf("%d ", *--p);
    printf("\n");
    free(heap);
    return 0;
}
