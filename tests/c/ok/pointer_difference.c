// differences and comparisons inside one object, negative indices that stay inside
// expect: none
#include <stddef.h>
#include <stdio.h>

int main(void) {
    struct item {
        char tag;
        long value;
    } a[6];
    for (int i = 0; i < 6; i++)
        a[i] = (struct item){(char)('a' + i), i * i};
    struct item *middle = &a[3], *end = a + 6;
    ptrdiff_t d = end - middle;
    printf("%td %td %td\n", d, a - middle, (char *)end - (char *)a);
    printf("%c %c %ld\n", middle[-1].tag, middle[-3].tag, (middle - 2)->value);
    printf("%d %d %d\n", middle < end, a <= middle, end > a);
    long *v = &middle->value;
    printf("%ld\n", *(long *)((char *)v - 2 * sizeof(struct item)));
    int grid[3][4] = {{0}};
    int (*row)[4] = &grid[2];
    row[-1][3] = 8;
    printf("%d %td\n", grid[1][3], &row[0][0] - &grid[0][0]);
    return 0;
}
