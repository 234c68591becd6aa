// strlen of a buffer that was never filled
// expect: uninitialised-read 9
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *buf = malloc(32);
    buf[31] = '\0';
    size_t n = strlen(buf); // BUG
    free(buf);
    return (int)n;
}
