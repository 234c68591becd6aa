// SHA-256 with its round constants computed from primes, against lengths around block borders.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t K[64], H0[8];

// The first 32 fractional bits of the square or cube root of p, by integer bisection.
static uint32_t frac_root(unsigned p, int cube) {
  unsigned __int128 lo = 0, hi = (unsigned __int128)1 << 40;
  while (hi - lo > 1) {
    unsigned __int128 mid = (lo + hi) / 2;
    int over;
    if (cube) over = mid * mid * mid > (unsigned __int128)p << 96;
    else over = mid * mid > (unsigned __int128)p << 64;
    if (over) hi = mid;
    else lo = mid;
  }
  return (uint32_t)lo;
}
static void init(void) {
  int n = 0;
  for (unsigned p = 2; n < 64; p++) {
    int prime = 1;
    for (unsigned d = 2; d * d <= p; d++)
      if (p % d == 0) prime = 0;
    if (!prime) continue;
    K[n] = frac_root(p, 1);
    if (n < 8) H0[n] = frac_root(p, 0);
    n++;
  }
}
static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }
static void block(uint32_t h[8], const uint8_t *b) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++) w[i] = (uint32_t)b[i * 4] << 24 | (uint32_t)b[i * 4 + 1] << 16 | (uint32_t)b[i * 4 + 2] << 8 | b[i * 4 + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t c = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + c;
  }
  memcpy(s, h, 32);
  for (int i = 0; i < 64; i++) {
    uint32_t e1 = ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25), ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t t1 = s[7] + e1 + ch + K[i] + w[i];
    uint32_t e0 = ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22), mj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    memmove(s + 1, s, 28);
    s[4] += t1;
    s[0] = t1 + e0 + mj;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}
static void sha256(const void *data, size_t n, uint32_t h[8]) {
  const uint8_t *p = data;
  uint8_t last[128] = {0};
  memcpy(h, H0, 32);
  size_t i = 0;
  for (; i + 64 <= n; i += 64) block(h, p + i);
  size_t rest = n - i, total = rest + 9 > 64 ? 128 : 64;
  memcpy(last, p + i, rest);
  last[rest] = 0x80;
  for (int k = 0; k < 8; k++) last[total - 1 - (size_t)k] = (uint8_t)((uint64_t)n * 8 >> (8 * k));
  for (size_t k = 0; k < total; k += 64) block(h, last + k);
}
static void show(const char *s) {
  uint32_t h[8];
  sha256(s, strlen(s), h);
  for (int i = 0; i < 8; i++) printf("%08x", h[i]);
  printf(" %zu\n", strlen(s));
}

int main(void) {
  init();
  show("");
  show("abc");
  char buf[200];
  uint32_t x[8], acc = 0;
  for (size_t n = 50; n < 70; n += 3) {
    memset(buf, 'a', n);
    buf[n] = 0;
    sha256(buf, n, x);
    acc ^= x[0] + x[7];
  }
  memset(buf, 'z', 150);
  buf[150] = 0;
  show(buf);
  printf("%08x\n", acc);
  return x[0] & 0xff;
}
