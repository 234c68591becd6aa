// Structs passed and returned by value: every size from 1 to 40 bytes, all ABI classes.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIZED(N)                                                              \
  typedef struct {                                                            \
    uint8_t b[N];                                                             \
  } s##N;                                                                     \
  static s##N step##N(s##N x, uint8_t k) {                                    \
    for (int i = 0; i < N; i++) x.b[i] = (uint8_t)(x.b[i] * 3 + k + i);       \
    return x;                                                                 \
  }                                                                           \
  static unsigned run##N(void) {                                              \
    s##N v;                                                                   \
    memset(&v, N, sizeof v);                                                  \
    s##N (*volatile f)(s##N, uint8_t) = step##N;                              \
    for (int r = 0; r < 5; r++) v = f(v, (uint8_t)r);                         \
    unsigned h = 0;                                                           \
    for (int i = 0; i < N; i++) h = h * 31 + v.b[i];                          \
    return h;                                                                 \
  }
SIZED(1) SIZED(2) SIZED(3) SIZED(4) SIZED(5) SIZED(6) SIZED(7) SIZED(8) SIZED(9) SIZED(11) SIZED(12) SIZED(15) SIZED(16) SIZED(17) SIZED(24) SIZED(31) SIZED(32) SIZED(33) SIZED(40)

typedef struct {
  float x, y;
} f2;
typedef struct {
  float x, y, z;
} f3;
typedef struct {
  double d;
  int i;
} di;
typedef struct {
  int i;
  float f;
  double d;
} ifd;
typedef struct {
  long a, b, c;
} l3;
typedef struct {
  char c;
  short s;
  int i;
  long l;
} csil;
typedef struct {
  long double l;
} ld;

__attribute__((noinline)) static f2 swap2(f2 v) { return (f2){v.y, v.x + 1}; }
__attribute__((noinline)) static f3 roll3(f3 v) { return (f3){v.y, v.z, v.x * 2}; }
__attribute__((noinline)) static di bump(di v) { return (di){v.d + v.i, v.i * 2}; }
__attribute__((noinline)) static ifd turn(ifd v) { return (ifd){(int)v.d, (float)v.i, v.f}; }
__attribute__((noinline)) static l3 add3(l3 a, l3 b) { return (l3){a.a + b.a, a.b - b.b, a.c * b.c}; }
__attribute__((noinline)) static csil mixc(csil v, int k) {
  v.c = (char)(v.c + k);
  v.s = (short)(v.s - k);
  v.i *= k;
  v.l ^= k;
  return v;
}
__attribute__((noinline)) static ld half(ld v) { return (ld){v.l / 2}; }
__attribute__((noinline)) static double many(int a, f2 p, di q, l3 r, ifd s, f3 t, csil u, ld w, int z) {
  return a + p.x + p.y + q.d + q.i + (double)(r.a + r.b + r.c) + s.i + s.f + s.d + t.x + t.y + t.z + u.c + u.s + u.i +
         (double)u.l + (double)w.l + z;
}

int main(void) {
  printf("%u %u %u %u %u %u %u %u\n", run1(), run2(), run3(), run4(), run5(), run6(), run7(), run8());
  printf("%u %u %u %u %u %u\n", run9(), run11(), run12(), run15(), run16(), run17());
  printf("%u %u %u %u %u\n", run24(), run31(), run32(), run33(), run40());
  f2 a = swap2((f2){1.5f, 2.5f});
  f3 b = roll3(roll3((f3){1, 2, 3}));
  di c = bump(bump((di){0.25, 3}));
  ifd d = turn((ifd){7, 2.5f, 9.75});
  l3 e = add3((l3){1, 2, 3}, (l3){10, 20, 30});
  csil f = mixc((csil){'a', 100, 7, 1l << 40}, 5);
  ld g = half((ld){5.5L});
  printf("%g %g %g %g %g %g %d\n", a.x, a.y, b.x, b.y, b.z, c.d, c.i);
  printf("%d %g %g %ld %ld %ld\n", d.i, d.f, d.d, e.a, e.b, e.c);
  printf("%d %d %d %ld %Lg\n", f.c, f.s, f.i, f.l, g.l);
  double m = many(1, a, c, e, d, b, f, g, 2);
  printf("%.6f\n", m);
  return 12;
}
