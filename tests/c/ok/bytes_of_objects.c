// any object may be read and written as bytes
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void dump(const void *p, size_t n) {
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        printf("%02x", b[i]);
    printf("\n");
}

int main(void) {
    uint32_t u = 0x12345678;
    double d = -1.5;
    struct {
        int16_t a, b;
        char c[4];
    } s = {-2, 3, "xyz"};
    long double ld = 1.0L;
    dump(&u, sizeof u);
    dump(&d, sizeof d);
    dump(&s, sizeof s);
    dump(&ld, 10);
    unsigned char *b = (unsigned char *)&u;
    b[0] ^= 0xff;
    b[3] = 0;
    printf("%x\n", u);
    memset(&d, 0, sizeof d);
    printf("%g\n", d);
    return 0;
}
