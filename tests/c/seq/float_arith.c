// float and double arithmetic: rounding, denormals, infinities, signed zero.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t bits32(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static uint64_t bits64(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}

int main(void) {
  volatile float f = 0.1f, g = 3.0f;
  volatile double d = 0.1, e = 3.0;
  printf("%08x %08x %08x %08x\n", bits32(f + g), bits32(f - g), bits32(f * g), bits32(f / g));
  printf("%016lx %016lx %016lx %016lx\n", bits64(d + e), bits64(d - e), bits64(d * e), bits64(d / e));
  printf("%016lx %016lx\n", bits64(f + d), bits64((double)f * g));
  volatile float big = FLT_MAX, tiny = FLT_MIN;
  printf("%08x %08x %08x\n", bits32(big * 2), bits32(-big * 2), bits32(big + 1));
  printf("%08x %08x %08x\n", bits32(tiny / 2), bits32(tiny / 3e7f), bits32(tiny * tiny));
  volatile double dbig = DBL_MAX, dtiny = DBL_MIN, zero = 0.0;
  printf("%016lx %016lx\n", bits64(dbig + dbig), bits64(dtiny / 4));
  printf("%016lx %016lx %016lx\n", bits64(1 / zero), bits64(-1 / zero), bits64(-zero));
  printf("%016lx %016lx\n", bits64(zero - zero), bits64(-zero - zero));
  printf("%d\n", -zero == zero);
  float sum = 0;
  double dsum = 0;
  for (int i = 1; i <= 1000; i++) {
    sum += 1.0f / (float)i;
    dsum += 1.0 / i;
  }
  printf("%08x %016lx\n", bits32(sum), bits64(dsum));
  double x = 1;
  int n = 0;
  while (x > 0) {
    x /= 2;
    n++;
  }
  printf("%d\n", n);
  float y = 1;
  int m = 0;
  while (y < INFINITY) {
    y *= 2;
    m++;
  }
  printf("%d\n", m);
  volatile double h = 1.0;
  printf("%d %d\n", h + DBL_EPSILON == h, h + DBL_EPSILON / 2 == h);
  double p = 1;
  for (int i = 0; i < 300; i++) p = p * 3.7 * (1 - p / 4) + 0.001;
  printf("%016lx\n", bits64(p));
  f += 0.2f;
  f *= f;
  f -= 1;
  f /= 7;
  f++;
  printf("%08x\n", bits32(f));
  return n % 256;
}
