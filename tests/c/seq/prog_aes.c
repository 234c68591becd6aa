// AES-128 with tables computed from the field arithmetic: encrypt, decrypt, key schedule.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint8_t sbox[256], inv[256], rk[176];

static uint8_t xt(uint8_t a) { return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0)); }
static uint8_t gm(uint8_t a, uint8_t b) {
  uint8_t r = 0;
  for (; b; b >>= 1, a = xt(a))
    if (b & 1) r ^= a;
  return r;
}
static void tables(void) {
  uint8_t p = 1, q = 1;
  do {
    p = gm(p, 3);
    q = gm(q, 0xf6);
    uint8_t x = q;
    for (int i = 1; i < 5; i++) x ^= (uint8_t)(q << i | q >> (8 - i));
    sbox[p] = x ^ 0x63;
  } while (p != 1);
  sbox[0] = 0x63;
  for (int i = 0; i < 256; i++) inv[sbox[i]] = (uint8_t)i;
}
static void schedule(const uint8_t key[16]) {
  memcpy(rk, key, 16);
  uint8_t rc = 1;
  for (int i = 16; i < 176; i += 4) {
    uint8_t t[4];
    memcpy(t, rk + i - 4, 4);
    if (i % 16 == 0) {
      uint8_t f = t[0];
      for (int k = 0; k < 3; k++) t[k] = sbox[t[k + 1]];
      t[3] = sbox[f];
      t[0] ^= rc;
      rc = xt(rc);
    }
    for (int k = 0; k < 4; k++) rk[i + k] = rk[i + k - 16] ^ t[k];
  }
}
static void add_key(uint8_t *s, int r) {
  for (int i = 0; i < 16; i++) s[i] ^= rk[r * 16 + i];
}
static void shift(uint8_t *s, int dir) {
  uint8_t t[16];
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < 4; r++) t[c * 4 + r] = s[((c + dir * r + 4) % 4) * 4 + r];
  memcpy(s, t, 16);
}
static void mixc(uint8_t *s, const uint8_t m[4]) {
  for (int c = 0; c < 16; c += 4) {
    uint8_t t[4];
    for (int r = 0; r < 4; r++) {
      t[r] = 0;
      for (int k = 0; k < 4; k++) t[r] ^= gm(s[c + k], m[(k - r + 4) % 4]);
    }
    memcpy(s + c, t, 4);
  }
}
static void encrypt(uint8_t *s) {
  static const uint8_t m[] = {2, 3, 1, 1};
  add_key(s, 0);
  for (int r = 1; r <= 10; r++) {
    for (int i = 0; i < 16; i++) s[i] = sbox[s[i]];
    shift(s, 1);
    if (r < 10) mixc(s, m);
    add_key(s, r);
  }
}
static void decrypt(uint8_t *s) {
  static const uint8_t m[] = {14, 11, 13, 9};
  for (int r = 10; r >= 1; r--) {
    add_key(s, r);
    if (r < 10) mixc(s, m);
    shift(s, -1);
    for (int i = 0; i < 16; i++) s[i] = inv[s[i]];
  }
  add_key(s, 0);
}
static void show(const uint8_t *s) {
  for (int i = 0; i < 16; i++) printf("%02x", s[i]);
  puts("");
}

int main(void) {
  tables();
  uint8_t key[16], b[16], chain[16] = {0};
  for (int i = 0; i < 16; i++) key[i] = (uint8_t)i, b[i] = (uint8_t)(i * 17);
  schedule(key);
  encrypt(b);
  show(b);
  decrypt(b);
  show(b);
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < 16; i++) chain[i] ^= (uint8_t)(n * 16 + i);
    encrypt(chain);
  }
  show(chain);
  printf("%02x %02x %02x\n", sbox[0x53], inv[0x53], gm(0x57, 0x83));
  return chain[0];
}
