// Hand-written bit tricks that compilers recognise (popcount, byte swap, masks).
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int pop_kernighan(uint64_t x) {
  int n = 0;
  while (x) {
    x &= x - 1;
    n++;
  }
  return n;
}
static int pop_swar(uint32_t x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  return (int)((((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
}
static uint32_t swap32(uint32_t x) {
  return (x >> 24) | ((x >> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24);
}
static uint32_t load_be(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static uint64_t load_le(const unsigned char *p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v |= (uint64_t)p[i] << (8 * i);
  return v;
}
static uint32_t next_pow2(uint32_t x) {
  x--;
  for (int s = 1; s < 32; s *= 2) x |= x >> s;
  return x + 1;
}
static int is_pow2(uint32_t x) { return x && !(x & (x - 1)); }
static uint32_t gray(uint32_t x) { return x ^ (x >> 1); }
static uint32_t ungray(uint32_t g) {
  for (unsigned s = 1; s < 32; s <<= 1) g ^= g >> s;
  return g;
}
static uint32_t morton(uint16_t a, uint16_t b) {
  uint32_t r = 0;
  for (int i = 0; i < 16; i++) r |= (uint32_t)(a >> i & 1) << (2 * i) | (uint32_t)(b >> i & 1) << (2 * i + 1);
  return r;
}
static int ilog2(uint64_t x) {
  int n = -1;
  while (x) {
    x >>= 1;
    n++;
  }
  return n;
}

int main(void) {
  uint32_t x = 1;
  uint64_t acc = 0;
  for (int i = 0; i < 100; i++) {
    x = x * 1664525u + 1013904223u;
    unsigned char raw[8];
    memcpy(raw, &x, 4);
    memcpy(raw + 4, &x, 4);
    if (pop_swar(x) != pop_kernighan(x)) return 1;
    if (load_be(raw) != swap32(x)) return 2;
    if (ungray(gray(x)) != x) return 3;
    acc = acc * 31 + load_le(raw) + next_pow2(x >> 3) + (uint64_t)ilog2(x);
    acc ^= morton((uint16_t)x, (uint16_t)(x >> 16));
  }
  printf("%016lx\n", acc);
  int n = 0;
  for (uint32_t i = 0; i < 1100; i++) n += is_pow2(i);
  printf("%d\n", n);
  uint32_t sub = 0xb5, s = sub, subsets = 0;
  do {
    subsets++;
    s = (s - 1) & sub;
  } while (s != sub);
  printf("%u\n", subsets);
  int a = 12, b = 34;
  a ^= b;
  b ^= a;
  a ^= b;
  printf("%d %d\n", a, b);
  volatile int v = -77;
  int m = v >> 31;
  printf("%d %d\n", (v + m) ^ m, (v > 0) - (v < 0));
  return pop_kernighan(acc);
}
