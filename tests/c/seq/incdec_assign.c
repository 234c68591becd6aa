// ++ and -- and all compound assignments on every kind of lvalue, with mixed types and conversions.
#include <stdint.h>
#include <stdio.h>

struct s {
  int a[3];
  char c;
  float f;
  int *p;
};
static int calls;
static struct s g;
static struct s *where(void) {
  calls++;
  return &g;
}

int main(void) {
  int i = 10;
  i += 5.7;
  printf("%d ", i);
  i -= 'a';
  printf("%d ", i);
  i *= 2u;
  printf("%d ", i);
  i /= -2.5f;
  printf("%d ", i);
  i %= 7l;
  printf("%d ", i);
  i <<= (char)3;
  printf("%d ", i);
  i |= 0x101;
  i ^= -1;
  i &= 0xfff;
  i >>= 1ull;
  printf("%d\n", i);
  unsigned char c = 250;
  c += 10;
  printf("%d ", c);
  c -= 5;
  printf("%d ", c);
  c -= 100;
  c *= 1.5;
  printf("%d ", c);
  c /= 2;
  c <<= 4;
  printf("%d ", c);
  c ^= 0xff;
  printf("%d\n", c--);
  short s = 100;
  s *= 300.25f;
  printf("%d ", s);
  s >>= 3;
  s++;
  printf("%d ", s);
  uint64_t u = 1;
  u -= 2;
  u /= 3;
  u += i;
  printf("%lu ", u);
  double d = 1;
  d += i;
  d /= 3;
  d -= 'a';
  d *= (_Bool)5;
  d++;
  --d;
  printf("%g ", d);
  float f = 16777216;
  f++;
  f += 2.5;
  printf("%g ", f);
  _Bool b = 0;
  b += 5;
  b -= 1;
  b |= 8;
  printf("%d\n", b);
  where()->a[1] += 7;
  where()->c++;
  --where()->f;
  where()->p = &where()->a[0];
  *where()->p++ += 3;
  *where()->p-- *= 2;
  ++*where()->p;
  printf("%d %d %d %g %d\n", g.a[0], g.a[1], g.c, g.f, calls);
  int arr[5] = {1, 2, 3, 4, 5}, *p = arr, *q = arr + 4;
  *p++ = *q--;
  *++p = *--q;
  p += 1u;
  q -= (char)1;
  (*p)++;
  printf("%d %d %d %d %d %td %td\n", arr[0], arr[1], arr[2], arr[3], arr[4], p - arr, q - arr);
  int k = 1;
  arr[k++] = 50;
  arr[++k] = 60;
  k = arr[k]-- - --arr[1];
  printf("%d %d %d\n", k, arr[1], arr[3]);
  int x, y, z;
  x = y = z = 7;
  x += y -= z *= 2;
  printf("%d %d %d\n", x, y, z);
  char buf[] = "abc", *w = buf;
  while (*w) *w++ -= 32;
  puts(buf);
  return calls;
}
