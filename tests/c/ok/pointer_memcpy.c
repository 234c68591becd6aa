// pointers copied with memcpy, byte by byte, and through a byte array
// expect: none
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hello(int x) {
    return x + 1;
}

int main(void) {
    int *p = malloc(sizeof *p), *q, *r;
    *p = 5;
    memcpy(&q, &p, sizeof p);
    unsigned char bytes[sizeof p];
    for (size_t i = 0; i < sizeof p; i++)
        bytes[i] = ((unsigned char *)&q)[i];
    unsigned char shuffled[sizeof p];
    for (size_t i = 0; i < sizeof p; i++)
        shuffled[sizeof p - 1 - i] = bytes[i];
    for (size_t i = 0; i < sizeof p; i++)
        ((unsigned char *)&r)[i] = shuffled[sizeof p - 1 - i];
    *r += 1;
    printf("%d %d %d\n", *p, p == r, memcmp(&p, &r, sizeof p));
    free(r);
    int (*f)(int) = hello, (*g)(int);
    memcpy(&g, &f, sizeof f);
    printf("%d\n", g(41));
    return 0;
}
