// Unsigned bit-fields: modulo arithmetic, neighbours untouched, zero-width, units.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pack {
  unsigned a : 1, b : 2, c : 5, d : 11, e : 13;
};
struct zero {
  unsigned char a : 3;
  unsigned char : 0;
  unsigned char b : 3;
  unsigned : 4;
  unsigned c : 20;
  unsigned : 0;
  unsigned d : 1;
};
struct cross {
  uint16_t a : 10, b : 10, c : 10;
  uint8_t d : 6, e : 6;
  uint64_t f : 40, g : 24, h : 63, i : 1;
};

int main(void) {
  struct pack p;
  memset(&p, 0xff, sizeof p);
  p.c = 0;
  printf("%u %u %u %u %u\n", p.a, p.b, p.c, p.d, p.e);
  p.d += 5;
  p.b++;
  p.a--;
  printf("%u %u %u %u %u\n", p.a, p.b, p.c, p.d, p.e);
  for (unsigned i = 0; i < 100; i++) {
    p.a ^= i & 1;
    p.b += i;
    p.c = (p.c * 7 + i) & 31;
    p.d ^= i * 77u & 0x7ff;
    p.e -= p.d;
  }
  uint32_t raw;
  memcpy(&raw, &p, 4);
  printf("%08x %zu\n", raw, sizeof p);
  struct zero z;
  memset(&z, 0, sizeof z);
  z.a = 7;
  z.b = 5;
  z.c = 0xabcde;
  z.d = 1;
  unsigned char bytes[sizeof z];
  memcpy(bytes, &z, sizeof z);
  for (size_t i = 0; i < sizeof z; i++) printf("%02x", bytes[i]);
  printf(" %zu\n", sizeof z);
  struct cross c;
  memset(&c, 0, sizeof c);
  c.a = 1000;
  c.b = 513;
  c.c = 1;
  c.d = 33;
  c.e = 62;
  c.f = 0xfedcba9876;
  c.g = 0xabcdef;
  c.h = 0x7123456789abcdef;
  c.i = 1;
  unsigned char cb[sizeof c];
  memcpy(cb, &c, sizeof c);
  for (size_t i = 0; i < sizeof c; i++) printf("%02x", cb[i]);
  printf(" %zu\n", sizeof c);
  c.h++;
  c.g *= 3;
  c.f >>= 4;
  printf("%lx %lx %lx %d\n", (unsigned long)c.f, (unsigned long)c.g, (unsigned long)c.h, (int)c.i);
  printf("%d %d\n", p.c - 32 < 0, c.i - 2 < 0);
  return (int)(raw & 0x3f);
}
