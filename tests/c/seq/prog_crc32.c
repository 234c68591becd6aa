// CRC-32, CRC-16, Adler-32 and Fletcher: bitwise and with tables, agreeing with each other.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];

static void build(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
}
static uint32_t crc_table(const uint8_t *p, size_t n) {
  uint32_t c = ~0u;
  while (n--) c = table[(c ^ *p++) & 0xff] ^ c >> 8;
  return ~c;
}
static uint32_t crc_bits(const uint8_t *p, size_t n) {
  uint32_t c = ~0u;
  for (size_t i = 0; i < n * 8; i++) {
    uint32_t bit = (p[i / 8] >> i % 8 & 1u) ^ (c & 1);
    c >>= 1;
    if (bit) c ^= 0xedb88320u;
  }
  return ~c;
}
static uint16_t crc16(const uint8_t *p, size_t n) {
  uint16_t c = 0xffff;
  while (n--) {
    c ^= (uint16_t)(*p++ << 8);
    for (int k = 0; k < 8; k++) c = (uint16_t)(c & 0x8000 ? c << 1 ^ 0x1021 : c << 1);
  }
  return c;
}
static uint32_t adler(const uint8_t *p, size_t n) {
  uint32_t a = 1, b = 0;
  while (n--) {
    a = (a + *p++) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}
static uint16_t fletcher(const uint8_t *p, size_t n) {
  uint16_t a = 0, b = 0;
  while (n--) {
    a = (uint16_t)((a + *p++) % 255);
    b = (uint16_t)((b + a) % 255);
  }
  return (uint16_t)(b << 8 | a);
}

int main(void) {
  build();
  const char *msg[] = {"", "a", "123456789", "The quick brown fox jumps over the lazy dog"};
  for (int i = 0; i < 4; i++) {
    const uint8_t *p = (const uint8_t *)msg[i];
    size_t n = strlen(msg[i]);
    if (crc_table(p, n) != crc_bits(p, n)) return 1;
    printf("%08x %04x %08x %04x\n", crc_table(p, n), crc16(p, n), adler(p, n), fletcher(p, n));
  }
  uint8_t buf[500];
  uint32_t x = 1;
  for (int i = 0; i < 500; i++) {
    x = x * 69069 + 1;
    buf[i] = (uint8_t)(x >> 24);
  }
  uint32_t c = crc_table(buf, 500);
  printf("%08x %04x %08x\n", c, crc16(buf, 500), adler(buf, 500));
  int found = 0;
  for (int bit = 0; bit < 4000; bit += 401) {
    buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
    found += crc_table(buf, 500) != c;
    buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  printf("%d\n", found);
  return found;
}
