// const cast away from objects that are not const
// expect: none
#include <stdio.h>
#include <string.h>

static char *skip(const char *s) {
    while (*s == ' ')
        s++;
    return (char *)s;
}

static int counter = 1;

int main(void) {
    char text[] = "  hello";
    char *p = skip(text);
    p[0] = 'H';
    const int *c = &counter;
    *(int *)c += 4;
    static char copy[] = "literal copied into an array";
    copy[0] = 'L';
    char *e = strchr(copy, 'a');
    *e = 'A';
    printf("%s %d %s\n", p, counter, copy);
    return 0;
}
