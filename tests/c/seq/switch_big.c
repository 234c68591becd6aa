// A switch with 256 cases made by macros, a sparse one with many cases, and one on packed four-letter names.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define C1(n) case n: acc = acc * 31 + (uint32_t)((n) * (n)) % 97; break;
#define C4(n) C1(n) C1(n + 1) C1(n + 2) C1(n + 3)
#define C16(n) C4(n) C4(n + 4) C4(n + 8) C4(n + 12)
#define C64(n) C16(n) C16(n + 16) C16(n + 32) C16(n + 48)
#define C256 C64(0) C64(64) C64(128) C64(192)
#define P1(n) case (n) * 1009: return n;
#define P4(n) P1(n) P1(n + 1) P1(n + 2) P1(n + 3)
#define P16(n) P4(n) P4(n + 4) P4(n + 8) P4(n + 12)
#define NAME(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static uint32_t all(const uint8_t *p, int n) {
  uint32_t acc = 1;
  for (int i = 0; i < n; i++) switch (p[i]) { C256 }
  return acc;
}
static int sparse(int x) {
  switch (x) {
    P16(-16) P16(0) P16(16) P16(32)
    default: return -999;
  }
}
static int by_name(const char *s) {
  uint32_t v = 0;
  memcpy(&v, s, strnlen(s, 4));
  switch (v) {
    case NAME('o', 'p', 'e', 'n'): return 1;
    case NAME('r', 'e', 'a', 'd'): return 2;
    case NAME('s', 'e', 'e', 'k'): return 3;
    case NAME('e', 'o', 'f', 0): return 4;
    case 0: return 5;
    default: return 0;
  }
}

int main(void) {
  uint8_t buf[512];
  for (int i = 0; i < 512; i++) buf[i] = (uint8_t)(i * 167 + i / 3);
  printf("%08x\n", all(buf, 512));
  int s = 0;
  for (int x = -17000; x < 50000; x += 1009) s = (s * 3 + sparse(x)) % 10007;
  printf("%d %d %d %d %d\n", s, sparse(0), sparse(-16 * 1009), sparse(47 * 1009), sparse(48 * 1009));
  const char *names[] = {"open", "read", "seek", "eof", "", "openx", "oper"};
  for (int i = 0; i < 7; i++) printf("%d ", by_name(names[i]));
  puts("");
  return sparse(33 * 1009);
}
