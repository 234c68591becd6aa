// Calls across files, so that nothing is inlined: structs of every ABI class, complex, vectors, __int128, varargs.
#include "types.h"

#include <stdio.h>

int main(void) {
  printf("%c\n", p_s1((s1){'a'}).c);
  f4 a = p_f4((f4){1, 2, 3, 4}, 0.5f);
  printf("%g %g %g %g\n", a.x, a.y, a.z, a.w);
  df b = p_df((df){1.25, 2.5f});
  printf("%g %g\n", b.d, b.f);
  fi c = p_fi((fi){1.5f, 2}, (fi){3.5f, 4});
  printf("%g %d\n", c.f, c.i);
  lff d = p_lff((lff){1l << 40, {1.5f, 2.5f}});
  printf("%ld %g %g\n", d.l, d.f[0], d.f[1]);
  printf("%Lg\n", p_ld1((ld1){2.5L}, 3).l);
  q1 e = p_q1(3, (q1){(__int128)7 << 70});
  printf("%ld\n", (long)(e.q >> 70));
  a32 f = p_a32(10, (a32){{1, 2, 3, 4, 5, 6, 7, 8}}, 20);
  printf("%d %d %d\n", f.v[0], f.v[3], f.v[7]);
  i3s g = p_i3s((i3s){{1, 2, 3}, 4});
  printf("%d %d %d %d\n", g.a[0], g.a[1], g.a[2], g.b);
  printf("%g\n", p_du((du){.d = 3.5}).d);
  deep h = p_deep((deep){{{1.5f}, 2.5}});
  printf("%g %g\n", h.in.a.f, h.in.d);
  v4i i = p_v4i((v4i){1, 2, 3, 4}, (v4i){10, 20, 30, 40});
  printf("%d %d %d %d\n", i[0], i[1], i[2], i[3]);
  v2f j = p_v2f((v2f){1.5f, -2});
  printf("%g %g\n", j[0], j[1]);
  float complex k = p_cf(1 + 2 * I, 3);
  printf("%g %g\n", crealf(k), cimagf(k));
  double complex l = p_cd(1 + 2 * I, 3 - I);
  printf("%g %g\n", creal(l), cimag(l));
  long double complex m = p_cl(1.5L + 0.5L * I);
  printf("%Lg %Lg\n", creall(m), cimagl(m));
  printf("%ld\n", (long)p_q(1, 2, 3, 4, 5, 6, (__int128)-7));
  printf("%.10g\n", p_stack(1, 2, 3, 4, 5, 6, (s1){7}, 8, (df){9, 10}, (f4){11, 12, 13, 14}, 15, 16, 17, 18, 19, 20, 21, 22, (df){23, 24}, 25));
  printf("%.10g\n", p_var(6, (df){1, 2}, (f4){1, 2, 3, 4}, (lff){5, {6, 7}}, (v4i){8, 9, 10, 11}, (a32){{12}}, 3.0 + 4.0 * I));
  printf("%d %d\n", p_bool(1, -1, 255, -32768), p_bool(0, 0, 0, 0));
  return 31;
}
