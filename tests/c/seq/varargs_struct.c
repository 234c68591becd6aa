// Varargs with structs by value of every ABI class, va_copy and va_list passed on.
#include <stdarg.h>
#include <stdio.h>

typedef struct {
  int a;
} s4;
typedef struct {
  long a;
  double b;
} sid;
typedef struct {
  double a, b;
} sdd;
typedef struct {
  long a, b, c;
} big;
typedef struct {
  float x, y, z;
} fff;
typedef struct {
  char c[5];
} c5;
typedef struct {
  long double l;
  int i;
} ldi;

static double one(int kind, va_list *ap) {
  switch (kind) {
    case '4': return va_arg(*ap, s4).a;
    case 'm': {
      sid v = va_arg(*ap, sid);
      return (double)v.a + v.b;
    }
    case 'd': {
      sdd v = va_arg(*ap, sdd);
      return v.a - v.b;
    }
    case 'b': {
      big v = va_arg(*ap, big);
      return (double)(v.a + v.b * 2 + v.c * 3);
    }
    case 'f': {
      fff v = va_arg(*ap, fff);
      return v.x + v.y * 2 + v.z * 3;
    }
    case 'c': {
      c5 v = va_arg(*ap, c5);
      return v.c[0] + v.c[4];
    }
    case 'l': {
      ldi v = va_arg(*ap, ldi);
      return (double)v.l + v.i;
    }
    case 'i': return va_arg(*ap, int);
  }
  return -1e9;
}
static double vtotal(const char *fmt, va_list ap) {
  va_list copy;
  va_copy(copy, ap);
  double s = 0, t = 0;
  for (const char *p = fmt; *p; p++) s = s * 2 + one(*p, &copy);
  va_end(copy);
  va_copy(copy, ap);
  for (const char *p = fmt; *p; p++) t += one(*p, &copy);
  va_end(copy);
  return s * 1000 + t;
}
static double total(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  double r = vtotal(fmt, ap);
  double again = vtotal(fmt, ap);
  va_end(ap);
  return r == again ? r : -1;
}
static int pass_array(int n, ...) {
  va_list lists[2];
  va_start(lists[0], n);
  va_copy(lists[1], lists[0]);
  int a = 0, b = 0;
  for (int i = 0; i < n; i++) a = a * 2 + va_arg(lists[0], int);
  for (int i = 0; i < n - 1; i++) b += va_arg(lists[1], int);
  b -= va_arg(lists[1], int);
  va_end(lists[0]);
  va_end(lists[1]);
  return a * 100 + b;
}

int main(void) {
  s4 a = {7};
  sid b = {5, 0.5};
  sdd c = {10.25, 4};
  big d = {1, 2, 3};
  fff e = {1.5f, 2.5f, 3.5f};
  c5 f = {"abcd"};
  f.c[4] = 'e';
  ldi g = {8.5L, 3};
  printf("%.8g\n", total("4mdbfcl", a, b, c, d, e, f, g));
  printf("%.8g\n", total("mmmmmmi", b, b, b, b, b, b, 77));
  printf("%.8g\n", total("ddddddi", c, c, c, c, c, c, 78));
  printf("%.8g\n", total("iiiiimidmd", 1, 2, 3, 4, 5, b, 6, c, b, c));
  printf("%.8g\n", total("ffffffff", e, e, e, e, e, e, e, e));
  printf("%.8g\n", total("lcbicl", g, f, d, 4, f, g));
  printf("%d\n", pass_array(5, 1, 2, 3, 4, 5));
  return 4;
}
