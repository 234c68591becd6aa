// Floating vectors: arithmetic, comparisons, conversions, passing to functions.
#include <stdint.h>
#include <stdio.h>

typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
typedef int32_t v4i __attribute__((vector_size(16)));
typedef int64_t v2l __attribute__((vector_size(16)));
typedef int32_t v2i __attribute__((vector_size(8)));

__attribute__((noinline)) static v4f lerp(v4f a, v4f b, float t) { return a + (b - a) * t; }
__attribute__((noinline)) static v2d cmul(v2d a, v2d b) {
  return (v2d){a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}
static float dot(v4f a, v4f b) {
  v4f m = a * b;
  return m[0] + m[1] + m[2] + m[3];
}

int main(void) {
  volatile float one = 1;
  v4f a = {one, 2.5f, -3.75f, 1e10f}, b = {0.5f, one, 4, 1e-10f};
  v4f r = a / b;
  printf("%a %a %a %a\n", r[0], r[1], r[2], r[3]);
  r = lerp(a, b, 0.25f);
  printf("%a %a %a %a\n", r[0], r[1], r[2], r[3]);
  printf("%a\n", dot(a, b));
  v4i c = a < b;
  printf("%d %d %d %d\n", c[0], c[1], c[2], c[3]);
  v4f nan = {__builtin_inff() * one, 0, 0, 0};
  nan = nan - nan;
  c = nan == nan;
  printf("%d %d\n", c[0], c[1]);
  c = nan != nan;
  printf("%d %d\n", c[0], c[1]);
  v4i t = __builtin_convertvector(a * (v4f){1, 1, 1, 0}, v4i);
  printf("%d %d %d %d\n", t[0], t[1], t[2], t[3]);
  v4f f = __builtin_convertvector(t * 3 + 1, v4f);
  printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
  v4i bits = (v4i)a;
  printf("%08x %08x\n", (unsigned)bits[0], (unsigned)bits[2]);
  v4f absf = (v4f)(bits & 0x7fffffff);
  printf("%g\n", absf[2]);
  v2d z = {0.5, one}, w = {1, 0};
  for (int i = 0; i < 20; i++) w = cmul(w, z);
  printf("%a %a\n", w[0], w[1]);
  v2l lm = z > w;
  printf("%ld %ld\n", lm[0], lm[1]);
  v4d d = {1, 2, 3, one * 4}, s = {};
  for (int i = 0; i < 10; i++) {
    s += d / (i + 1.0);
    d = -d * 1.5;
  }
  printf("%a %a %a %a\n", s[0], s[1], s[2], s[3]);
  v2i ii = __builtin_convertvector(z * 100, v2i);
  v2d back = __builtin_convertvector(ii, v2d);
  printf("%d %d %g\n", ii[0], ii[1], back[0] + back[1]);
  v4i m = a > b;
  v4f sel = (v4f)((m & (v4i)a) | (~m & (v4i)b));
  printf("%g %g %g %g\n", sel[0], sel[1], sel[2], sel[3]);
  return 0;
}
