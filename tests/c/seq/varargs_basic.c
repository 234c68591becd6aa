// Varargs: ints, doubles, pointers, long doubles, 64-bit, many of each, mixed.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static long sum_ints(int n, ...) {
  va_list ap;
  va_start(ap, n);
  long s = 0;
  while (n--) s = s * 3 + va_arg(ap, int);
  va_end(ap);
  return s;
}
static double sum_doubles(int n, ...) {
  va_list ap;
  va_start(ap, n);
  double s = 0;
  while (n--) s = s / 2 + va_arg(ap, double);
  va_end(ap);
  return s;
}
static double by_format(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  double s = 0;
  for (; *fmt; fmt++) {
    s *= 1.25;
    switch (*fmt) {
      case 'i': s += va_arg(ap, int); break;
      case 'u': s += va_arg(ap, unsigned); break;
      case 'l': s += (double)va_arg(ap, long); break;
      case 'q': s += (double)va_arg(ap, unsigned long long); break;
      case 'd': s += va_arg(ap, double); break;
      case 'L': s += (double)va_arg(ap, long double); break;
      case 's': s += va_arg(ap, const char *)[0]; break;
      case 'p': s += *va_arg(ap, int *); break;
      case 'x': s += (double)(va_arg(ap, __int128) >> 70); break;
    }
  }
  va_end(ap);
  return s;
}
static int strings(const char *first, ...) {
  va_list ap;
  va_start(ap, first);
  int n = 0;
  for (const char *s = first; s; s = va_arg(ap, const char *)) {
    printf("%s,", s);
    n++;
  }
  va_end(ap);
  return n;
}

int main(void) {
  printf("%ld\n", sum_ints(12, 1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12));
  printf("%ld %ld\n", sum_ints(0), sum_ints(5, 'a', (short)-1, (char)7, 1 == 1, (unsigned char)255));
  printf("%.10g\n", sum_doubles(12, 1.0, 2.5, 3.25, 4.0f, 5.5, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0));
  int v = 9;
  printf("%.12g\n", by_format("iudLspqldiLdddddddddiiiiLx", -5, 4000000000u, 2.5, 1.5L, "hello", &v, 1ull << 63, -7l, 0.25, 3,
                              -2.25L, 1., 2., 3., 4., 5., 6., 7., 8., 9., 1, 2, 3, 4, 100.5L, (__int128)77 << 72));
  printf("%.12g\n", by_format("LxLxLi", 1.0L, (__int128)1 << 71, 2.0L, -((__int128)1 << 100), 3.0L, 5));
  int n = strings("one", "two", "three", "four", "five", "six", "seven", "eight", NULL);
  printf("%d\n", n);
  return n;
}
