// MD5 with its table computed by sin(), over several messages.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t T[64];
static const int S[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static void block(uint32_t st[4], const uint8_t *p) {
  uint32_t m[16], a = st[0], b = st[1], c = st[2], d = st[3];
  memcpy(m, p, 64);
  for (int i = 0; i < 64; i++) {
    uint32_t f;
    int g;
    switch (i / 16) {
      case 0: f = (b & c) | (~b & d); g = i; break;
      case 1: f = (d & b) | (~d & c); g = (5 * i + 1) % 16; break;
      case 2: f = b ^ c ^ d; g = (3 * i + 5) % 16; break;
      default: f = c ^ (b | ~d); g = 7 * i % 16;
    }
    f += a + T[i] + m[g];
    a = d;
    d = c;
    c = b;
    int s = S[i / 16][i % 4];
    b += f << s | f >> (32 - s);
  }
  st[0] += a;
  st[1] += b;
  st[2] += c;
  st[3] += d;
}
static void md5(const char *s, size_t n) {
  uint32_t st[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  uint8_t buf[64];
  uint64_t bits = n * 8;
  size_t i = 0;
  for (; i + 64 <= n; i += 64) block(st, (const uint8_t *)s + i);
  memset(buf, 0, 64);
  memcpy(buf, s + i, n - i);
  buf[n - i] = 0x80;
  if (n - i >= 56) {
    block(st, buf);
    memset(buf, 0, 64);
  }
  memcpy(buf + 56, &bits, 8);
  block(st, buf);
  const uint8_t *out = (const uint8_t *)st;
  for (int k = 0; k < 16; k++) printf("%02x", out[k]);
  puts("");
}

int main(void) {
  for (int i = 0; i < 64; i++) T[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
  md5("", 0);
  md5("abc", 3);
  md5("message digest", 14);
  char buf[130];
  memset(buf, 'q', sizeof buf);
  for (size_t n = 55; n < 130; n += 15) md5(buf, n);
  return (int)(T[63] & 0xff);
}
