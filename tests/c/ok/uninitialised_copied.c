// uninitialised bytes may be copied around as long as nothing depends on them
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
    int kind;
    int length;
    char body[24];
};

int main(void) {
    struct message *m = malloc(sizeof *m), copy, *again = malloc(sizeof *again);
    m->kind = 2;
    m->length = 5;
    memcpy(m->body, "hello", 5);
    memcpy(&copy, m, sizeof copy);
    *again = copy;
    memmove(again->body + 2, again->body, 20);
    if (again->kind == 2 && again->body[2] == 'h')
        printf("%.*s %.5s\n", copy.length, copy.body, again->body + 2);
    m = realloc(m, 2 * sizeof *m);
    m[1] = m[0];
    printf("%d %c\n", m[1].length, m[1].body[4]);
    free(m);
    free(again);
    return 0;
}
