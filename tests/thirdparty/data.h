/* What the compression drivers share: 64 KiB of mixed data that is the same everywhere, its CRC, and a check. */
#ifndef THIRDPARTY_DATA_H
#define THIRDPARTY_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_SIZE = 64 * 1024 };

static unsigned char data[DATA_SIZE];

/* xorshift: good enough to be incompressible, and the same on every machine. */
static uint32_t data_random(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Stretches of words, noise, runs, counters and copies of what went before, in a random order. */
static void data_fill(void)
{
    static const char *const words[] = {"the ", "quick ", "thread ", "waits ", "for ", "a ", "lock ", "that ", "nobody ",
                                        "holds, ", "and ", "sleeps.\n", "Interleaving ", "is ", "everything ", "bare "};
    size_t at = 0;
    while (at < DATA_SIZE) {
        size_t length = 64 + data_random() % 1024;
        if (length > DATA_SIZE - at)
            length = DATA_SIZE - at;
        unsigned char *out = data + at;
        switch (data_random() % 5) {
        case 0:
            for (size_t i = 0; i < length;) {
                const char *word = words[data_random() % 16];
                while (*word && i < length)
                    out[i++] = (unsigned char)*word++;
            }
            break;
        case 1:
            for (size_t i = 0; i < length; i++)
                out[i] = (unsigned char)data_random();
            break;
        case 2:
            memset(out, (int)(data_random() % 4), length);
            break;
        case 3:
            for (size_t i = 0; i < length; i++)
                out[i] = (unsigned char)(i % 4 == 0 ? i >> 2 : 0);
            break;
        default:
            if (length > at)
                length = at ? at : 1;
            if (at)
                memmove(out, data + data_random() % (at - length + 1), length);
            break;
        }
        at += length;
    }
}

static uint32_t data_crc(const unsigned char *bytes, size_t length)
{
    uint32_t crc = ~0u;
    while (length--) {
        crc ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

/* Says which step failed and ends the program with code 1. */
static void check(int holds, const char *what)
{
    if (!holds) {
        printf("FAILED: %s\n", what);
        exit(1);
    }
}

/* The last word on a round trip: the sizes and CRCs that native and VM must agree on. */
static void report(const char *how, const unsigned char *packed, size_t packed_size, const unsigned char *unpacked,
                   size_t unpacked_size)
{
    check(unpacked_size == DATA_SIZE && memcmp(unpacked, data, DATA_SIZE) == 0, how);
    printf("%-24s %6zu -> %6zu -> %6zu  crc %08x %08x\n", how, (size_t)DATA_SIZE, packed_size, unpacked_size,
           (unsigned)data_crc(packed, packed_size), (unsigned)data_crc(unpacked, unpacked_size));
}

#endif
