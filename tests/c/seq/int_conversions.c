// Conversions between all integer types, through tables and through casts.
#include <stdint.h>
#include <stdio.h>

#define ALL(X) X(int8_t) X(uint8_t) X(int16_t) X(uint16_t) X(int32_t) X(uint32_t) X(int64_t) X(uint64_t)

static uint64_t h = 14695981039346656037u;
static void mix(uint64_t v) { h = (h ^ v) * 1099511628211u; }

#define VIA(T)                                                                \
  static int64_t via_##T(int64_t v) { return (int64_t)(T)v; }
ALL(VIA)

static int64_t (*const vias[])(int64_t) = {via_int8_t,  via_uint8_t,  via_int16_t, via_uint16_t,
                                           via_int32_t, via_uint32_t, via_int64_t, via_uint64_t};

int main(void) {
  static const int64_t values[] = {0,     1,      -1,         127,         128,        255,
                                   256,   -128,   -129,       32767,       32768,      65535,
                                   65536, -32768, 2147483647, 2147483648l, 4294967295, 4294967296,
                                   -2147483648l, INT64_MAX,  INT64_MIN,   0x0123456789abcdef};
  enum { N = sizeof values / sizeof *values };
  for (int i = 0; i < N; i++) {
    int64_t row = 0;
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 8; k++) {
        int64_t r = vias[k](vias[j](values[i]));
        mix((uint64_t)r);
        row ^= r;
      }
    printf("%ld: %d %u %d %u %d %u -> %ld\n", values[i], (int8_t)values[i], (uint8_t)values[i],
           (int16_t)values[i], (uint16_t)values[i], (int32_t)values[i], (uint32_t)values[i], row);
  }
  printf("%016lx\n", h);
  return (int)(h & 63);
}
