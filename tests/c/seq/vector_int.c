// Integer vectors of 8, 16, 32 bytes: arithmetic, shifts, comparisons, element access.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int32_t v2i __attribute__((vector_size(8)));
typedef int32_t v4i __attribute__((vector_size(16)));
typedef uint8_t v16u __attribute__((vector_size(16)));
typedef int64_t v4l __attribute__((vector_size(32)));
typedef int16_t v8s __attribute__((vector_size(16)));
typedef uint32_t v8u __attribute__((vector_size(32)));

static void show4(const char *n, v4i v) { printf("%s %d %d %d %d\n", n, v[0], v[1], v[2], v[3]); }
__attribute__((noinline)) static v4i madd(v4i a, v4i b, v4i c) { return a * b + c; }

int main(void) {
  volatile int one = 1;
  v4i a = {one, -2, 3, -4}, b = {10, 20, 30, 40};
  show4("add", a + b);
  show4("sub", a - b);
  show4("mul", a * b);
  show4("div", b / a);
  show4("mod", b % (a + 5));
  show4("and", a & b);
  show4("or", a | b);
  show4("xor", a ^ b);
  show4("neg", -a);
  show4("not", ~a);
  show4("shl", b << 2);
  show4("sar", a >> 1);
  show4("lt", a < b);
  show4("eq", a == (v4i){1, 2, 3, 4});
  show4("scalar", a + 7);
  show4("madd", madd(a, b, a));
  v4i m = a > 0;
  show4("select", (m & a) | (~m & b));
  a[2] = 99;
  a[one] += 5;
  show4("elem", a);
  v2i p = {7, one};
  p = p * p - 1;
  printf("%d %d\n", p[0], p[1]);
  v16u u;
  for (int i = 0; i < 16; i++) u[i] = (uint8_t)(i * 37);
  v16u w = u + u * 3;
  unsigned h = 0;
  for (int i = 0; i < 16; i++) h = h * 31 + w[i];
  w = (v16u)(u > (v16u){} + 100);
  for (int i = 0; i < 16; i++) h = h * 31 + w[i];
  printf("%u\n", h);
  v4l l = {INT64_MAX / 2, -one, 1l << 40, -5};
  l = l / 3 + (l >> 2) - (l << 0);
  printf("%ld %ld %ld %ld\n", l[0], l[1], l[2], l[3]);
  v8s s = {1, 2, 3, 4, 5, 6, 7, 8};
  s *= s;
  s -= 10;
  v8s neg = s < 0;
  s = (s ^ neg) - neg;
  int t = 0;
  for (int i = 0; i < 8; i++) t = t * 3 + s[i];
  printf("%d\n", t);
  v8u g = {1, 2, 3, 4, 5, 6, 7, 8}, acc = {};
  for (int i = 0; i < 50; i++) {
    acc = acc * 31 + g;
    g = (g << 5 | g >> 27) ^ acc;
  }
  uint32_t out[8];
  memcpy(out, &g, sizeof out);
  printf("%08x %08x %zu %zu\n", out[0], out[7], sizeof g, _Alignof(v8u));
  return (int)(h & 0xff);
}
