// Vectors again: bool vectors, ext_vector ternary, shifts by vectors, vector varargs, structs of vectors, 64-byte ones.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int i4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef unsigned u4 __attribute__((vector_size(16)));
typedef int64_t l8 __attribute__((vector_size(64)));
typedef int16_t s2 __attribute__((vector_size(4)));
typedef _Bool b8 __attribute__((ext_vector_type(8)));
typedef double d1 __attribute__((vector_size(8)));

#pragma clang diagnostic ignored "-Wpsabi"

struct pair {
  f4 a;
  i4 b;
};
__attribute__((noinline)) static struct pair twist(struct pair p) {
  p.a = p.a.wzyx;
  p.b += 1;
  return p;
}
__attribute__((noinline)) static l8 wide(l8 a, l8 b) { return a * 3 - b; }
static int vsum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int s = 0;
  for (int i = 0; i < n; i++) {
    i4 v = va_arg(ap, i4);
    s += v.x + v.y * 2 + v.z * 3 + v.w * 4;
  }
  va_end(ap);
  return s;
}

int main(void) {
  volatile int k = 3;
  i4 a = {1, -2, k, -4}, b = 10;
  i4 sel = a > 0 ? a : b;
  printf("%d %d %d %d\n", sel.x, sel.y, sel.z, sel.w);
  u4 u = {1, 2, 3, 0x80000000u}, sh = {0, 1, 4, 31};
  u4 l = u << sh, r = u >> sh;
  printf("%u %u %u %u %u %u\n", l[1], l[2], l[3], r[2], r[3], r[0]);
  i4 ar = a >> (i4){0, 1, 1, 2};
  printf("%d %d %d %d\n", ar.x, ar.y, ar.z, ar.w);
  struct pair p = twist((struct pair){{1, 2, 3, 4}, {5, 6, 7, 8}});
  printf("%g %g %d %d\n", p.a.x, p.a.w, p.b.x, p.b.w);
  l8 x, y;
  for (int i = 0; i < 8; i++) x[i] = (int64_t)i << 33, y[i] = i * k;
  x = wide(x, y);
  int64_t h = 0;
  for (int i = 0; i < 8; i++) h = h * 7 + x[i] % 1000;
  printf("%ld\n", h);
  printf("%d\n", vsum(3, a, b, sel));
  s2 s = {100, -200};
  s = s * s;
  printf("%d %d %zu\n", s[0], s[1], sizeof s);
  b8 m = {1, 0, 1, 1, 0, 0, 0, 1};
  m = m ^ (b8){1, 1, 1, 1, 0, 0, 0, 0};
  int bits = 0;
  for (int i = 0; i < 8; i++) bits |= m[i] << i;
  printf("%d %zu\n", bits, sizeof m);
  d1 d = {2.5};
  d = d * d + k;
  printf("%g\n", d[0]);
  f4 f = {1, 2, 3, 4};
  f2 hi = f.hi, ev = f.even;
  f.lo = hi;
  f.odd *= 10.0f;
  printf("%g %g %g %g %g %g\n", f.x, f.y, f.z, f.w, ev.x, ev.y);
  f4 table[3];
  for (int i = 0; i < 3; i++) table[i] = f * (float)i;
  printf("%g %g\n", table[k - 1].y, table[1].s3);
  i4 mask = f > 15.0f;
  printf("%d %d\n", mask.x, mask.y);
  i4 idx = {3, 2, 1, 0};
  i4 perm;
  for (int i = 0; i < 4; i++) perm[i] = a[idx[i]];
  printf("%d %d %d %d\n", perm.x, perm.y, perm.z, perm.w);
  return bits;
}
