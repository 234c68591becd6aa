// Conversions between __int128 and float, double, long double.
#include <stdint.h>
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

int main(void) {
  static const uint64_t hi[] = {0, 0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
                                0xffffffffffffffff, 0x123456789};
  static const uint64_t lo[] = {0, 12345, 1, 0xffffffffffffffff, 0, 0xfffffffffffffff0, 0, 0x8000000000000001};
  for (int i = 0; i < 8; i++) {
    volatile u128 u = ((u128)hi[i] << 64) | lo[i];
    i128 s = (i128)u;
    printf("%a %a %La\n", (float)u, (double)u, (long double)u);
    printf("%a %a %La\n", (float)s, (double)s, (long double)s);
  }
  volatile double d[] = {0.0, 1.75, -1.75, 1e18, -1e18, 1e30, -1e30, 0x1p126, -0x1p127};
  for (int i = 0; i < 9; i++) {
    i128 s = (i128)d[i];
    printf("%016lx%016lx\n", (uint64_t)((u128)s >> 64), (uint64_t)s);
    if (d[i] >= 0) {
      u128 u = (u128)(d[i] * 1.5);
      printf("%016lx%016lx\n", (uint64_t)(u >> 64), (uint64_t)u);
    }
    i128 f = (i128)(float)d[i];
    i128 l = (i128)((long double)d[i] / 3);
    printf("%016lx %016lx\n", (uint64_t)(f >> 20), (uint64_t)(l >> 10));
  }
  return 0;
}
