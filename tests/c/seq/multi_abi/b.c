// The callees of multi_abi.
#include "types.h"

s1 p_s1(s1 x) { return (s1){(char)(x.c + 1)}; }
f4 p_f4(f4 v, float k) { return (f4){v.w * k, v.z * k, v.y * k, v.x * k}; }
df p_df(df v) { return (df){v.f, (float)v.d}; }
fi p_fi(fi a, fi b) { return (fi){a.f + (float)b.i, a.i * (int)b.f}; }
lff p_lff(lff v) { return (lff){v.l + 1, {v.f[1], v.f[0]}}; }
ld1 p_ld1(ld1 v, int k) { return (ld1){v.l * k}; }
q1 p_q1(int k, q1 v) { return (q1){v.q * k}; }
a32 p_a32(int a, a32 v, int b) {
  v.v[0] += a + (int)((unsigned long)&v % 32);
  v.v[7] += b;
  return v;
}
i3s p_i3s(i3s v) { return (i3s){{v.a[2], v.a[0], v.a[1]}, (short)-v.b}; }
du p_du(du v) {
  v.l += 1l << 52;
  return v;
}
deep p_deep(deep v) { return (deep){{{(float)v.in.d}, v.in.a.f}}; }
v4i p_v4i(v4i a, v4i b) { return a * 2 + b; }
v2f p_v2f(v2f v) { return v * v; }
float complex p_cf(float complex z, float k) { return z * k + I; }
double complex p_cd(double complex a, double complex b) { return a * b; }
long double complex p_cl(long double complex z) { return z + z * I; }
__int128 p_q(int a, __int128 b, int c, __int128 d, __int128 e, int f, __int128 g) { return a + b * 10 + c * 100 + d * 1000 + e * 10000 + f * 100000 + g * 1000000; }
double p_stack(int a, int b, int c, int d, int e, int f, s1 g, short h, df i, f4 j, double k, double l, double m, double n, double o, double p, double q, double r, df s, char t) {
  return a + b + c + d + e + f + g.c + h + i.d * 2 + i.f * 3 + j.x + j.y + j.z + j.w + k + l + m + n + o + p + q + r * 5 + s.d * 7 + s.f * 11 + t * 13;
}
double p_var(int n, ...) {
  va_list ap;
  va_start(ap, n);
  df a = va_arg(ap, df);
  f4 b = va_arg(ap, f4);
  lff c = va_arg(ap, lff);
  v4i d = va_arg(ap, v4i);
  a32 e = va_arg(ap, a32);
  double complex z = va_arg(ap, double complex);
  va_end(ap);
  return a.d + a.f * 2 + b.x + b.w * 3 + (double)c.l + c.f[1] * 5 + d[0] + d[3] * 7 + e.v[0] * 11 + creal(z) * 13 + cimag(z) * 17;
}
_Bool p_bool(_Bool a, char b, unsigned char c, short d) { return a && b < 0 && c > 128 && d == -32768; }
