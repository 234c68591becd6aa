// Saturating arithmetic written with overflow builtins and by comparison.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static int8_t sat_add8(int8_t a, int8_t b) {
  int8_t r;
  return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT8_MIN : INT8_MAX) : r;
}
static uint8_t usat_sub8(uint8_t a, uint8_t b) { return a > b ? (uint8_t)(a - b) : 0; }
static uint16_t usat_add16(uint16_t a, uint16_t b) {
  uint16_t r = (uint16_t)(a + b);
  return r < a ? UINT16_MAX : r;
}
static int32_t sat_sub32(int32_t a, int32_t b) {
  int32_t r;
  return __builtin_sub_overflow(a, b, &r) ? (a < 0 ? INT32_MIN : INT32_MAX) : r;
}
static uint64_t usat_mul64(uint64_t a, uint64_t b) {
  uint64_t r;
  return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}
static int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }

int main(void) {
  long sum = 0;
  for (int a = -128; a < 128; a += 5)
    for (int b = -128; b < 128; b += 7) {
      int8_t r = sat_add8((int8_t)a, (int8_t)b);
      if (r != clamp(a + b, -128, 127)) return 1;
      uint8_t s = usat_sub8((uint8_t)a, (uint8_t)b);
      sum = (sum * 17 + r * 3 + s) % 1000000007;
    }
  printf("%ld\n", sum);
  volatile uint16_t w = 65000;
  printf("%u %u\n", usat_add16(w, 600), usat_add16(w, 100));
  volatile int32_t x = INT32_MIN + 5;
  printf("%d %d %d\n", sat_sub32(x, 10), sat_sub32(x, 3), sat_sub32(-(x + 10), INT32_MIN));
  volatile uint64_t m = 1ull << 40;
  printf("%lu %lu\n", usat_mul64(m, m), usat_mul64(m, 1000));
  uint8_t px[64], py[64];
  for (int i = 0; i < 64; i++) {
    px[i] = (uint8_t)(i * 37);
    py[i] = (uint8_t)(i * 91 + 5);
  }
  unsigned long hs = 0;
  for (int i = 0; i < 64; i++) {
    int t = px[i] + py[i];
    px[i] = t > 255 ? 255 : (uint8_t)t;
    hs = hs * 31 + px[i];
  }
  printf("%lu\n", hs);
  return 3;
}
