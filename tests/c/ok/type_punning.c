// type punning with memcpy, packed structs for unaligned fields
// expect: none
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) wire {
    uint8_t kind;
    uint32_t length;
    uint16_t crc;
    uint64_t id;
};

int main(void) {
    float f = 3.5f;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    printf("%x\n", bits);
    unsigned char raw[sizeof(struct wire)];
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = (unsigned char)(i + 1);
    struct wire w;
    memcpy(&w, raw, sizeof w);
    printf("%u %x %x %llx\n", w.kind, w.length, w.crc, (unsigned long long)w.id);
    w.length++;
    uint32_t at3;
    memcpy(&at3, raw + 3, sizeof at3);
    printf("%x %x\n", w.length, at3);
    return 0;
}
