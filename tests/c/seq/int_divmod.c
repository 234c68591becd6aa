// Division and remainder: all signs, all widths, by constants and variables.
#include <stdint.h>
#include <stdio.h>

static uint64_t h = 7;
static void mix(uint64_t v) { h = h * 0x100000001b3u ^ v; }

int main(void) {
  static const int v[] = {-100, -17, -8, -7, -3, -1, 1, 2, 3, 7, 8, 17, 100};
  enum { N = sizeof v / sizeof *v };
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int q = v[i] / v[j], r = v[i] % v[j];
      if (q * v[j] + r != v[i]) return 1;
      mix((uint64_t)(int64_t)q);
      mix((uint64_t)(int64_t)r);
      int8_t a = (int8_t)v[i], b = (int8_t)v[j];
      mix((uint64_t)(a / b));
      mix((uint64_t)((uint8_t)a / (uint8_t)b));
      mix((uint64_t)((uint16_t)a % (uint16_t)b));
      mix((uint32_t)a / (uint32_t)b);
      mix((uint32_t)a % (uint32_t)b);
      mix((uint64_t)v[i] / (uint64_t)v[j]);
      mix((uint64_t)v[i] % (uint64_t)v[j]);
      mix((uint64_t)((int64_t)v[i] * 1000000007 / v[j]));
    }
  printf("%016lx\n", h);
  for (int64_t x = INT64_MIN; x < INT64_MAX - 0x0fffffffffffffff; x += 0x0123456789abcdef) {
    mix((uint64_t)(x / 3));
    mix((uint64_t)(x % 10));
    mix((uint64_t)(x / -16));
    mix((uint64_t)(x % 16));
    mix((uint64_t)x / 1000);
    mix((uint64_t)x % 7);
    mix((uint64_t)(uint32_t)x / 641);
  }
  printf("%016lx\n", h);
  printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
  printf("%d\n", (INT8_MIN) / (int8_t)-1);
  printf("%ld %ld\n", INT64_MIN / 2, INT64_MIN % 10);
  printf("%u %u\n", 0xfffffffbu / 10, 0xfffffffbu % 10);
  return (int)(h % 200);
}
