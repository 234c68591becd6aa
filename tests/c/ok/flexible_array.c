// a flexible array member within its allocation, grown with realloc
// expect: none
#include <stdio.h>
#include <stdlib.h>

struct text {
    unsigned length;
    char data[];
};

int main(void) {
    struct text *t = malloc(sizeof *t + 5);
    t->length = 5;
    for (unsigned i = 0; i < 5; i++)
        t->data[i] = (char)('a' + i);
    t = realloc(t, sizeof *t + 10);
    for (unsigned i = 5; i < 10; i++)
        t->data[i] = (char)('A' + i);
    t->length = 10;
    printf("%.*s\n", (int)t->length, t->data);
    free(t);
    return 0;
}
