// an uninitialised value printed
// expect: uninitialised-read 15
#include <stdio.h>

static int parse(const char *s, int *out) {
    if (*s < '0' || *s > '9')
        return -1;
    *out = *s - '0';
    return 0;
}

int main(void) {
    int n;
    parse("x", &n);
    printf("n = %d\n", n); // BUG
    return 0;
}
