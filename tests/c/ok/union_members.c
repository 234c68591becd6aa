// a union written by one member and read by another of the same or a smaller size
// expect: none
#include <stdint.h>
#include <stdio.h>

union word {
    uint64_t u;
    double d;
    uint32_t half[2];
    uint8_t byte[8];
    struct {
        uint16_t low, high;
    } s;
};

int main(void) {
    union word w;
    w.d = 1.0;
    printf("%llx %x %u\n", (unsigned long long)w.u, w.half[1], w.byte[7]);
    union word v;
    v.half[0] = 0xdeadbeef;
    printf("%x %x %x\n", v.s.low, v.s.high, v.byte[3]);
    v.byte[1] = 0;
    printf("%x\n", v.half[0]);
    union word copy = v;
    if (copy.s.high == 0xdead)
        printf("copied\n");
    return 0;
}
