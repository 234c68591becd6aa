// ChaCha20 stream cipher, XTEA, RC4, SipHash: encrypt, decrypt, known round trips.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rol(uint32_t x, int n) { return x << n | x >> (32 - n); }
static void quarter(uint32_t *s, int a, int b, int c, int d) {
  s[a] += s[b], s[d] = rol(s[d] ^ s[a], 16);
  s[c] += s[d], s[b] = rol(s[b] ^ s[c], 12);
  s[a] += s[b], s[d] = rol(s[d] ^ s[a], 8);
  s[c] += s[d], s[b] = rol(s[b] ^ s[c], 7);
}
static void chacha(const uint32_t key[8], uint32_t ctr, uint8_t *data, size_t n) {
  for (size_t at = 0; at < n; at += 64, ctr++) {
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, s[16];
    memcpy(in + 4, key, 32);
    in[12] = ctr;
    memcpy(s, in, 64);
    for (int r = 0; r < 10; r++) {
      for (int i = 0; i < 4; i++) quarter(s, i, i + 4, i + 8, i + 12);
      for (int i = 0; i < 4; i++) quarter(s, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
    }
    for (int i = 0; i < 16; i++) s[i] += in[i];
    const uint8_t *k = (const uint8_t *)s;
    for (size_t i = 0; i < 64 && at + i < n; i++) data[at + i] ^= k[i];
  }
}
static void xtea(uint32_t v[2], const uint32_t k[4], int dir) {
  uint32_t a = v[0], b = v[1], d = 0x9e3779b9, s = dir > 0 ? 0 : d * 32;
  for (int i = 0; i < 32; i++) {
    if (dir > 0) {
      a += ((b << 4 ^ b >> 5) + b) ^ (s + k[s & 3]);
      s += d;
      b += ((a << 4 ^ a >> 5) + a) ^ (s + k[s >> 11 & 3]);
    } else {
      b -= ((a << 4 ^ a >> 5) + a) ^ (s + k[s >> 11 & 3]);
      s -= d;
      a -= ((b << 4 ^ b >> 5) + b) ^ (s + k[s & 3]);
    }
  }
  v[0] = a;
  v[1] = b;
}
static void rc4(const char *key, uint8_t *data, size_t n) {
  uint8_t s[256], i = 0, j = 0;
  for (int k = 0; k < 256; k++) s[k] = (uint8_t)k;
  for (int k = 0; k < 256; k++) {
    j = (uint8_t)(j + s[k] + (uint8_t)key[(size_t)k % strlen(key)]);
    uint8_t t = s[k];
    s[k] = s[j];
    s[j] = t;
  }
  for (j = 0; n--; data++) {
    j = (uint8_t)(j + s[++i]);
    uint8_t t = s[i];
    s[i] = s[j];
    s[j] = t;
    *data ^= s[(uint8_t)(s[i] + s[j])];
  }
}
static uint64_t sip(const uint8_t *m, size_t n, uint64_t k0, uint64_t k1) {
  uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
#define R(x, b) ((x) << (b) | (x) >> (64 - (b)))
#define ROUND                                                                 \
  (v[0] += v[1], v[1] = R(v[1], 13) ^ v[0], v[0] = R(v[0], 32), v[2] += v[3], v[3] = R(v[3], 16) ^ v[2],   \
   v[0] += v[3], v[3] = R(v[3], 21) ^ v[0], v[2] += v[1], v[1] = R(v[1], 17) ^ v[2], v[2] = R(v[2], 32))
  for (size_t i = 0; i <= n / 8; i++) {
    uint64_t w = 0;
    for (size_t b = 0; b < 8 && i * 8 + b < n; b++) w |= (uint64_t)m[i * 8 + b] << 8 * b;
    if (i == n / 8) w |= (uint64_t)n << 56;
    v[3] ^= w;
    ROUND, ROUND;
    v[0] ^= w;
  }
  v[2] ^= 0xff;
  ROUND, ROUND, ROUND, ROUND;
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int main(void) {
  uint8_t text[150], copy[150];
  for (int i = 0; i < 150; i++) text[i] = copy[i] = (uint8_t)(i * 7);
  uint32_t key[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  chacha(key, 1, text, sizeof text);
  unsigned h = 0;
  for (int i = 0; i < 150; i++) h = h * 31 + text[i];
  chacha(key, 1, text, sizeof text);
  printf("%08x %d\n", h, memcmp(text, copy, sizeof text));
  uint32_t v[2] = {0x01234567, 0x89abcdef};
  xtea(v, key, 1);
  printf("%08x %08x ", v[0], v[1]);
  xtea(v, key, -1);
  printf("%08x %08x\n", v[0], v[1]);
  rc4("Key", text, 9);
  for (int i = 0; i < 9; i++) printf("%02x", text[i]);
  rc4("Key", text, 9);
  printf(" %d\n", memcmp(text, copy, sizeof text));
  for (size_t n = 0; n < 20; n += 5) printf("%016lx ", sip(copy, n, 0x0706050403020100, 0x0f0e0d0c0b0a0908));
  puts("");
  return (int)(h & 0xff);
}
