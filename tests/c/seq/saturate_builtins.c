// __builtin_elementwise_{add,sub}_sat and other elementwise builtins on scalars and vectors.
#include <stdint.h>
#include <stdio.h>

typedef int8_t v16c __attribute__((vector_size(16)));
typedef uint16_t v8us __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));

#define BOTH(T, a, b) printf("%s %ld %ld\n", #T, (long)__builtin_elementwise_add_sat((T)(a), (T)(b)), (long)__builtin_elementwise_sub_sat((T)(a), (T)(b)))

int main(void) {
  volatile int k = 100;
  BOTH(int8_t, k, k);
  BOTH(int8_t, -k, k);
  BOTH(uint8_t, k, 2 * k);
  BOTH(int16_t, k * 300, k * 300);
  BOTH(int16_t, -k * 300, k * 300);
  BOTH(uint16_t, k * 600, k * 600);
  BOTH(int32_t, INT32_MAX - k, k * 2);
  BOTH(int32_t, INT32_MIN + k, k * 2);
  BOTH(uint32_t, k, UINT32_MAX);
  BOTH(int64_t, INT64_MAX - k, k * 2);
  v16c a, b;
  for (int i = 0; i < 16; i++) a[i] = (int8_t)(i * 16 - 128), b[i] = (int8_t)(100 - i * 9);
  v16c s = __builtin_elementwise_add_sat(a, b), d = __builtin_elementwise_sub_sat(a, b);
  for (int i = 0; i < 16; i++) printf("%d/%d ", s[i], d[i]);
  puts("");
  v8us u = {0, 1, 1000, 40000, 65535, 30000, 2, 3}, w = {1, 2, 65000, 40000, 1, 35535, 2, 1};
  v8us us = __builtin_elementwise_add_sat(u, w), ud = __builtin_elementwise_sub_sat(u, w);
  for (int i = 0; i < 8; i++) printf("%d/%d ", us[i], ud[i]);
  puts("");
  printf("%d %d %d\n", __builtin_elementwise_max(k, 7), __builtin_elementwise_min(-k, 7), __builtin_elementwise_abs(-k));
  printf("%u\n", __builtin_elementwise_bitreverse((unsigned)k));
  v4f f = {1.5f, -2.5f, 3.25f, -0.75f};
  v4f fl = __builtin_elementwise_floor(f), ce = __builtin_elementwise_ceil(f), ab = __builtin_elementwise_abs(f);
  v4f cp = __builtin_elementwise_copysign(fl, f), mx = __builtin_elementwise_max(f, ab), re = __builtin_elementwise_roundeven(f);
  for (int i = 0; i < 4; i++) printf("%g %g %g %g %g %g\n", fl[i], ce[i], ab[i], cp[i], mx[i], re[i]);
  printf("%d %d %d\n", __builtin_reduce_max(a), __builtin_reduce_min(a), __builtin_reduce_or(b));
  return us[0];
}
