// sscanf: every conversion, widths, suppression, scansets, length modifiers, return values.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang diagnostic ignored "-Wformat-pedantic"

int main(void) {
  int a = 0, b = 0, c = 0, n = 0, sec = 0, minute = 0, r;
  unsigned u = 0, x = 0, o = 0;
  char s[32] = "", t[32] = "", ch = 0, ch3[4] = "";
  r = sscanf("  12 -34 0x1f", "%d%d%i", &a, &b, &c);
  printf("%d %d %d %d\n", r, a, b, c);
  r = sscanf("4294967295 ff 777", "%u %x %o", &u, &x, &o);
  printf("%d %u %u %u\n", r, u, x, o);
  r = sscanf("word another", "%s %3s%n", s, t, &n);
  printf("%d %s %s %d\n", r, s, t, n);
  r = sscanf("xyz abc", "%c%3c", &ch, ch3);
  printf("%d %c %.3s\n", r, ch, ch3);
  float f = 0;
  double d = 0;
  long double ld = 0;
  r = sscanf("1.5 -2.5e3 0x1p-2", "%f %lf %Lf", &f, &d, &ld);
  printf("%d %g %g %Lg\n", r, f, d, ld);
  r = sscanf("key=value;rest", "%[^=]=%[a-z]%n", s, t, &n);
  printf("%d %s %s %d\n", r, s, t, n);
  r = sscanf("12345", "%2d%3d", &a, &b);
  printf("%d %d %d\n", r, a, b);
  r = sscanf("10 20 30", "%*d %d %*s", &a);
  printf("%d %d\n", r, a);
  signed char hh = 0;
  short h = 0;
  long l = 0;
  long long ll = 0;
  intmax_t j = 0;
  size_t z = 0;
  ptrdiff_t td = 0;
  r = sscanf("-5 -600 70000000000 -8 9 10 -11", "%hhd %hd %ld %lld %jd %zu %td", &hh, &h, &l, &ll, &j, &z, &td);
  printf("%d %d %d %ld %lld %jd %zu %td\n", r, hh, h, l, ll, j, z, td);
  printf("%d %d %d\n", sscanf("", "%d", &a), sscanf("abc", "%d", &a), sscanf("5 x", "%d %d", &a, &b));
  r = sscanf("50% done", "%d%% %s", &a, s);
  printf("%d %d %s\n", r, a, s);
  r = sscanf("a,b,,c", "%[^,],%[^,],%[^,]", s, t, ch3);
  printf("%d %s %s\n", r, s, t);
  r = sscanf("]x-y", "%[]x-]%c", s, &ch);
  printf("%d %s %c\n", r, s, ch);
  r = sscanf("2024-03-15T10:20:30", "%d-%d-%dT%d:%d:%d", &a, &b, &c, &n, &sec, &minute);
  printf("%d %d %d %d %d %d %d\n", r, a, b, c, n, sec, minute);
  char *m = NULL;
  r = sscanf("allocated text", "%ms", &m);
  printf("%d %s\n", r, m);
  free(m);
  void *p = NULL;
  r = sscanf("0x1000", "%p", &p);
  printf("%d %d\n", r, (uintptr_t)p == 0x1000);
  r = sscanf("first second", "%2$s %1$s", s, t);
  printf("%d %s %s\n", r, s, t);
  r = sscanf("1e5 nan inf", "%lf", &d);
  printf("%d %g\n", r, d);
  return r + 20;
}
