// Random generators: LCG, xorshift, xoroshiro, PCG, Mersenne-like twister, LFSR, splitmix.
#include <stdint.h>
#include <stdio.h>

static uint64_t rotl(uint64_t x, int k) { return x << k | x >> (64 - k); }
static uint64_t sm;
static uint64_t splitmix(void) {
  uint64_t z = sm += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static uint32_t lcg(uint32_t *s) { return *s = *s * 1664525u + 1013904223u; }
static uint32_t xorshift32(uint32_t *s) {
  *s ^= *s << 13;
  *s ^= *s >> 17;
  return *s ^= *s << 5;
}
static uint64_t xoro[2];
static uint64_t xoroshiro(void) {
  uint64_t a = xoro[0], b = xoro[1], r = a + b;
  b ^= a;
  xoro[0] = rotl(a, 24) ^ b ^ b << 16;
  xoro[1] = rotl(b, 37);
  return r;
}
static uint32_t pcg(uint64_t *s) {
  uint64_t o = *s;
  *s = o * 6364136223846793005u + 1442695040888963407u;
  uint32_t x = (uint32_t)((o >> 18 ^ o) >> 27), r = (uint32_t)(o >> 59);
  return x >> r | x << (-r & 31);
}
enum { NN = 63, MM = 29 };
static uint32_t mt[NN];
static int mi = NN;
static uint32_t twist(void) {
  if (mi == NN) {
    for (int i = 0; i < NN; i++) {
      uint32_t y = (mt[i] & 0x80000000u) | (mt[(i + 1) % NN] & 0x7fffffff);
      mt[i] = mt[(i + MM) % NN] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    mi = 0;
  }
  uint32_t y = mt[mi++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}
static int lfsr_period(unsigned taps, unsigned width) {
  unsigned s = 1;
  int n = 0;
  do {
    s = s >> 1 ^ (-(s & 1) & taps);
    n++;
  } while (s != 1 && n < 1 << width);
  return n;
}
static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)((uint64_t)pcg(s) * n >> 32); }

int main(void) {
  sm = 42;
  uint32_t a = 1, b = 2463534242u;
  xoro[0] = splitmix();
  xoro[1] = splitmix();
  uint64_t c = splitmix(), h = 0;
  for (int i = 0; i < NN; i++) mt[i] = (uint32_t)splitmix();
  for (int i = 0; i < 300; i++) {
    h = h * 31 + lcg(&a);
    h = h * 31 + xorshift32(&b);
    h = h * 31 + xoroshiro();
    h = h * 31 + pcg(&c);
    h = h * 31 + twist();
  }
  printf("%016lx\n%08x %08x %016lx %08x\n", h, a, b, xoro[0], twist());
  printf("%d %d\n", lfsr_period(0xb4, 8), lfsr_period(0x805, 12));
  int die[6] = {0}, deck[52];
  for (int i = 0; i < 600; i++) die[below(&c, 6)]++;
  for (int i = 0; i < 6; i++) printf("%d ", die[i]);
  for (int i = 0; i < 52; i++) deck[i] = i;
  for (int i = 51; i > 0; i--) {
    int j = (int)below(&c, (uint32_t)i + 1), t = deck[i];
    deck[i] = deck[j];
    deck[j] = t;
  }
  double in = 0;
  for (int i = 0; i < 500; i++) {
    double x = (double)(xoroshiro() >> 11) * 0x1p-53, y = (double)(xoroshiro() >> 11) * 0x1p-53;
    in += x * x + y * y < 1;
  }
  printf("| %d %d | %.3f\n", deck[0], deck[51], in * 4 / 500);
  return (int)(h & 0xff);
}
