// pointers stored as uintptr_t, offset as integers, split into halves and put together again
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int a[8];
    for (int i = 0; i < 8; i++)
        a[i] = i * 11;
    uintptr_t u = (uintptr_t)a;
    printf("%d\n", *(int *)(u + 5 * sizeof(int)));
    uint32_t low = (uint32_t)u, high = (uint32_t)(u >> 32);
    int *again = (int *)(((uintptr_t)high << 32) + low);
    printf("%d %d\n", again == a, again[7]);
    uintptr_t inverted = ~(uintptr_t)&a[3];
    printf("%d\n", *(int *)~inverted);
    int *heap = malloc(sizeof *heap);
    *heap = 77;
    uintptr_t stored = (uintptr_t)heap * 2 + 1;
    heap = NULL;
    heap = (int *)((stored - 1) / 2);
    printf("%d\n", *heap);
    free(heap);
    intptr_t distance = (intptr_t)&a[6] - (intptr_t)&a[2];
    printf("%d\n", (int)distance);
    return 0;
}
