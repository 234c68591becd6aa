// Comparisons, signed against unsigned, of all widths; min, max, three-way.
#include <stdint.h>
#include <stdio.h>

#define CMP(T)                                                                \
  static unsigned cmp_##T(T a, T b) {                                         \
    return (unsigned)(a < b) | (unsigned)(a <= b) << 1 | (unsigned)(a > b) << 2 | (unsigned)(a >= b) << 3 |  \
           (unsigned)(a == b) << 4 | (unsigned)(a != b) << 5 |                \
           (unsigned)((a > b) - (a < b) + 1) << 6;                            \
  }
CMP(int8_t) CMP(uint8_t) CMP(int16_t) CMP(uint16_t) CMP(int32_t) CMP(uint32_t) CMP(int64_t) CMP(uint64_t)

int main(void) {
  static const int64_t v[] = {0, 1, -1, 127, -128, 255, 40000, -40000, 0x7fffffff, 0x80000000, -0x80000000l, INT64_MAX, INT64_MIN};
  enum { N = sizeof v / sizeof *v };
  uint64_t h = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      h = h * 257 + cmp_int8_t((int8_t)v[i], (int8_t)v[j]);
      h = h * 257 + cmp_uint8_t((uint8_t)v[i], (uint8_t)v[j]);
      h = h * 257 + cmp_int16_t((int16_t)v[i], (int16_t)v[j]);
      h = h * 257 + cmp_uint16_t((uint16_t)v[i], (uint16_t)v[j]);
      h = h * 257 + cmp_int32_t((int32_t)v[i], (int32_t)v[j]);
      h = h * 257 + cmp_uint32_t((uint32_t)v[i], (uint32_t)v[j]);
      h = h * 257 + cmp_int64_t(v[i], v[j]);
      h = h * 257 + cmp_uint64_t((uint64_t)v[i], (uint64_t)v[j]);
    }
  printf("%016lx\n", h);
  int64_t mn = v[0], mx = v[0];
  uint64_t umn = (uint64_t)v[0], umx = (uint64_t)v[0];
  for (int i = 1; i < N; i++) {
    mn = v[i] < mn ? v[i] : mn;
    mx = v[i] > mx ? v[i] : mx;
    umn = (uint64_t)v[i] < umn ? (uint64_t)v[i] : umn;
    umx = (uint64_t)v[i] > umx ? (uint64_t)v[i] : umx;
  }
  printf("%ld %ld %lu %lu\n", mn, mx, umn, umx);
  int sorted = 0;
  for (int i = 0; i + 1 < N; i++) sorted += v[i] < v[i + 1];
  printf("%d\n", sorted);
  return sorted;
}
