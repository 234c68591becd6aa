// uninitialised values passed by value, returned and multiplied by nothing: never used
// expect: none
#include <stdio.h>
#include <stdlib.h>

static void touch(int *p) {
    (void)p;
}

__attribute__((noinline)) static int choose(int flag, int a, int b) {
    if (flag)
        return a;
    return b;
}

int main(void) {
    int x;
    touch(&x);
    printf("%d\n", choose(0, x, 5));
    int ignored = choose(1, x, 5);
    (void)ignored;
    int *heap = malloc(2 * sizeof *heap);
    heap[0] = 4;
    printf("%d\n", choose(1, heap[0], heap[1]));
    free(heap);
    return 0;
}
