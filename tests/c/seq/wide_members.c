// Structs and unions holding __int128, long double and _Complex members: layout, copies, arrays, by value.
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct a {
  char c;
  __int128 q;
  short s;
};
struct b {
  int i;
  long double l;
  char c;
};
struct c {
  float f;
  double complex z;
  float complex w;
};
union u {
  long double l;
  unsigned char raw[16];
  struct {
    uint64_t mant;
    uint16_t se;
  } p;
};

__attribute__((noinline)) static struct a fa(struct a x, int k) {
  x.q = x.q * k + x.c;
  x.s = (short)(x.s - k);
  return x;
}
__attribute__((noinline)) static struct b fb(struct b x) { return (struct b){x.i + 1, x.l * 2, (char)(x.c + 1)}; }
__attribute__((noinline)) static struct c fc(struct c x) { return (struct c){(float)creal(x.z), x.z * x.z, conjf(x.w)}; }

int main(void) {
  printf("%zu %zu %zu %zu\n", sizeof(struct a), offsetof(struct a, q), offsetof(struct a, s), _Alignof(struct a));
  printf("%zu %zu %zu\n", sizeof(struct b), offsetof(struct b, l), offsetof(struct b, c));
  printf("%zu %zu %zu\n", sizeof(struct c), offsetof(struct c, z), offsetof(struct c, w));
  struct a x = {5, (__int128)1 << 90, 7};
  x = fa(fa(x, 3), -2);
  printf("%016lx%016lx %d\n", (uint64_t)((unsigned __int128)x.q >> 64), (uint64_t)x.q, x.s);
  struct b y = fb(fb((struct b){1, 1.25L, 'a'}));
  printf("%d %Lg %c\n", y.i, y.l, y.c);
  struct c z = fc((struct c){1, 1 + 2 * I, 3 - 4.5f * I});
  printf("%g %g %g %g %g\n", z.f, creal(z.z), cimag(z.z), crealf(z.w), cimagf(z.w));
  union u v;
  memset(&v, 0, sizeof v);
  v.l = -3.75L;
  printf("%016lx %04x\n", v.p.mant, v.p.se);
  v.p.se &= 0x7fff;
  v.p.mant |= 1;
  printf("%.20Lg\n", v.l);
  struct b arr[3];
  for (int i = 0; i < 3; i++) arr[i] = (struct b){i, i * 0.1L, (char)('x' + i)};
  struct b t = arr[0];
  arr[0] = arr[2];
  arr[2] = t;
  printf("%Lg %c %d\n", arr[0].l + arr[1].l, arr[2].c, (int)((uintptr_t)&arr[1].l % 16));
  __int128 tab[4] = {1, -1, (__int128)1 << 100, 0}, sum = 0;
  for (int i = 0; i < 4; i++) sum += tab[i] * (i + 1);
  printf("%ld %ld\n", (long)(sum >> 64), (long)sum);
  long double lt[4] = {1, 0.5L, 0.25L};
  long double *lp = lt + 3;
  *lp = lp[-1] + lp[-2];
  printf("%Lg %td\n", *lp, lp - lt);
  return y.i;
}
