// __builtin_{add,sub,mul}_overflow over all integer widths and mixed types.
#include <stdint.h>
#include <stdio.h>

static uint64_t h = 99;
static int hits;
static void mix(uint64_t v, int o) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h += (unsigned)o;
  hits += o;
}

#define OPS(T)                                                                \
  static void ops_##T(const int64_t *v, int n) {                              \
    hits = 0;                                                                 \
    for (int i = 0; i < n; i++)                                               \
      for (int j = 0; j < n; j++) {                                           \
        T a = (T)v[i], b = (T)v[j], r;                                        \
        int o = __builtin_add_overflow(a, b, &r);                             \
        mix((uint64_t)r, o);                                                  \
        o = __builtin_sub_overflow(a, b, &r);                                 \
        mix((uint64_t)r, o);                                                  \
        o = __builtin_mul_overflow(a, b, &r);                                 \
        mix((uint64_t)r, o);                                                  \
      }                                                                       \
    printf("%s %d %016lx\n", #T, hits, h);                                    \
  }
OPS(int8_t) OPS(uint8_t) OPS(int16_t) OPS(uint16_t) OPS(int32_t) OPS(uint32_t) OPS(int64_t) OPS(uint64_t)

typedef __int128 int128;
typedef unsigned __int128 uint128;
OPS(int128) OPS(uint128)

int main(void) {
  static const int64_t v[] = {0,   1,     -1,     2,         3,         -2,        15,        16,         127,       -128,
                              255, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 0xb504f333, 0x5a827999};
  int n = sizeof v / sizeof *v;
  ops_int8_t(v, n);
  ops_uint8_t(v, n);
  ops_int16_t(v, n);
  ops_uint16_t(v, n);
  ops_int32_t(v, n);
  ops_uint32_t(v, n);
  ops_int64_t(v, n);
  ops_uint64_t(v, n);
  ops_int128(v, n);
  ops_uint128(v, n);
  hits = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int32_t r;
      uint8_t r8;
      int o = __builtin_add_overflow(v[i], (uint32_t)v[j], &r);
      mix((uint64_t)r, o);
      o = __builtin_mul_overflow((int16_t)v[i], (uint64_t)v[j], &r8);
      mix(r8, o);
      int128 wide;
      o = __builtin_sub_overflow(v[i], v[j], &wide);
      mix((uint64_t)(wide >> 60), o);
    }
  printf("mixed %d %016lx\n", hits, h);
  int si;
  long sl;
  unsigned long ul;
  printf("%d", __builtin_sadd_overflow(INT32_MAX, 1, &si));
  printf(" %d", si);
  printf(" %d", __builtin_smull_overflow(1l << 62, 2, &sl));
  printf(" %ld", sl);
  printf(" %d", __builtin_usubl_overflow(0, 1, &ul));
  printf(" %lu\n", ul);
  return hits & 0xff;
}
