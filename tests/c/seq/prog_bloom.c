// Bloom filter, count-min sketch, bit set operations.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { M = 1024, K = 4 };
static uint64_t bits[M / 64];
static uint16_t sketch[4][64];

static uint64_t hash(const void *p, size_t n, uint64_t seed) {
  const unsigned char *b = p;
  uint64_t h = seed * 0x9e3779b97f4a7c15u + 0x1234567;
  while (n--) {
    h ^= *b++;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}
static void add(const char *s) {
  uint64_t h = hash(s, strlen(s), 1), g = hash(s, strlen(s), 2) | 1;
  for (int i = 0; i < K; i++, h += g) bits[h % M / 64] |= 1ull << h % 64;
}
static int has(const char *s) {
  uint64_t h = hash(s, strlen(s), 1), g = hash(s, strlen(s), 2) | 1;
  for (int i = 0; i < K; i++, h += g)
    if (!(bits[h % M / 64] >> h % 64 & 1)) return 0;
  return 1;
}

int main(void) {
  char w[16];
  for (int i = 0; i < 100; i++) {
    snprintf(w, sizeof w, "word%d", i);
    add(w);
  }
  int in = 0, wrong = 0, set = 0;
  for (int i = 0; i < 600; i++) {
    snprintf(w, sizeof w, "word%d", i);
    if (i < 100) in += has(w);
    else wrong += has(w);
  }
  for (int i = 0; i < M / 64; i++) set += __builtin_popcountll(bits[i]);
  printf("%d %d %d\n", in, wrong, set);
  for (int i = 0; i < 400; i++) {
    int v = i * i % 23;
    for (unsigned r = 0; r < 4; r++) sketch[r][hash(&v, sizeof v, r + 10) % 64]++;
  }
  for (int v = 0; v < 5; v++) {
    unsigned est = ~0u;
    for (unsigned r = 0; r < 4; r++) {
      unsigned c = sketch[r][hash(&v, sizeof v, r + 10) % 64];
      if (c < est) est = c;
    }
    printf("%u ", est);
  }
  puts("");
  uint64_t a = 0xf0f0, b = 0xff00;
  printf("%lx %lx %lx %lx\n", a & b, a | b, a ^ b, a & ~b);
  int n = 0;
  for (uint64_t s = a | b; s; s &= s - 1) n += __builtin_ctzll(s);
  printf("%d\n", n);
  return set & 0xff;
}
