// Bit builtins: popcount, clz, ctz, parity, ffs, clrsb, bswap, bitreverse, rotate.
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

static uint64_t h = 5;
static void mix(uint64_t v) { h = h * 6364136223846793005u + v; }

int main(void) {
  uint64_t x = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 200; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    uint64_t y = x >> (i & 63);
    if (!y) y = 1;
    uint32_t w = (uint32_t)y ? (uint32_t)y : 1;
    mix((uint64_t)__builtin_popcount(w));
    mix((uint64_t)__builtin_popcountll(y));
    mix((uint64_t)__builtin_clz(w));
    mix((uint64_t)__builtin_clzll(y));
    mix((uint64_t)__builtin_ctz(w));
    mix((uint64_t)__builtin_ctzl(y));
    mix((uint64_t)__builtin_parity(w));
    mix((uint64_t)__builtin_parityll(y));
    mix((uint64_t)__builtin_ffs((int)w));
    mix((uint64_t)__builtin_ffsll((long long)y));
    mix((uint64_t)__builtin_clrsb((int)w));
    mix((uint64_t)__builtin_clrsbll((long long)y));
    mix(__builtin_bswap16((uint16_t)w));
    mix(__builtin_bswap32(w));
    mix(__builtin_bswap64(y));
    mix(__builtin_bitreverse8((uint8_t)w));
    mix(__builtin_bitreverse16((uint16_t)w));
    mix(__builtin_bitreverse32(w));
    mix(__builtin_bitreverse64(y));
    mix(__builtin_rotateleft8((uint8_t)w, (uint8_t)i));
    mix(__builtin_rotateleft16((uint16_t)w, (uint16_t)i));
    mix(__builtin_rotateleft32(w, (uint32_t)i));
    mix(__builtin_rotateright64(y, (uint64_t)i));
  }
  printf("%016lx\n", h);
  volatile uint32_t one = 1, top = 0x80000000u, zero = 0, all = ~0u;
  printf("%d %d %d %d\n", __builtin_clz(one), __builtin_clz(top), __builtin_ctz(top), __builtin_ctz(all));
  printf("%d %d %d\n", __builtin_ffs((int)zero), ffs((int)top), __builtin_popcount(zero));
  printf("%d %d\n", __builtin_clrsb((int)zero), __builtin_clrsb((int)all));
  volatile uint16_t s = 0x00f1;
  printf("%04x %08x %016lx\n", __builtin_bswap16(s), __builtin_bswap32(s), __builtin_bswap64(s));
  volatile unsigned char b = 0x35;
  printf("%02x\n", __builtin_bitreverse8(b));
  unsigned __int128 q = ((unsigned __int128)h << 64) | x;
  printf("%d\n", __builtin_popcountll((uint64_t)(q >> 64)) + __builtin_popcountll((uint64_t)q));
  return __builtin_popcountll(h);
}
