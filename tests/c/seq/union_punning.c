// Unions: type punning between ints, floats and bytes; unions by value.
#include <stdint.h>
#include <stdio.h>

union word {
  uint32_t u;
  int32_t i;
  float f;
  uint16_t h[2];
  uint8_t b[4];
};
union dbl {
  double d;
  uint64_t u;
  struct {
    uint32_t lo, hi;
  } w;
  struct {
    uint64_t mant : 52, exp : 11, sign : 1;
  } p;
};
union big {
  char c[20];
  long l[2];
  double d[2];
};

static union word flip(union word w) {
  uint8_t t = w.b[0];
  w.b[0] = w.b[3];
  w.b[3] = t;
  return w;
}
static union big grow(union big b, int k) {
  b.l[1] += k;
  b.c[16] = (char)k;
  b.c[19] = 'z';
  return b;
}
static float rsqrt(float x) {
  union word w = {.f = x};
  w.u = 0x5f3759df - (w.u >> 1);
  return w.f * (1.5f - 0.5f * x * w.f * w.f);
}

int main(void) {
  union word w = {.f = 1.0f};
  printf("%08x %d %04x %04x\n", w.u, w.i, w.h[0], w.h[1]);
  w.b[3] |= 0x80;
  printf("%g\n", w.f);
  w = flip(w);
  printf("%08x\n", w.u);
  union dbl d = {.d = -6.5};
  printf("%016lx %08x %08x\n", d.u, d.w.hi, d.w.lo);
  printf("%lx %d %d\n", (unsigned long)d.p.mant, (int)d.p.exp, (int)d.p.sign);
  d.p.exp += 3;
  d.p.sign = 0;
  printf("%g\n", d.d);
  d.w.hi ^= 0x00100000;
  printf("%g\n", d.d);
  union big b = {.d = {1.5, 2.5}};
  b = grow(b, 1 << 20);
  printf("%a %a %d %c %zu\n", b.d[0], b.d[1], b.c[16], b.c[19], sizeof b);
  printf("%.5f %.5f\n", rsqrt(4), rsqrt(0.01f));
  uint64_t h = 0;
  for (int e = -20; e < 20; e++) {
    union dbl x = {.d = e * 0.37};
    h = h * 31 + x.u;
    union word y = {.f = (float)e / 3};
    h ^= y.u;
  }
  printf("%016lx\n", h);
  union {
    int a;
    struct {
      short lo, hi;
    };
  } anon = {0x12345678};
  printf("%x %x\n", anon.lo, anon.hi);
  return w.b[0];
}
