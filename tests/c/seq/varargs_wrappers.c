// vprintf, vsnprintf, vfprintf, vsscanf wrappers; variadic function pointers and macros.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int logf_(int level, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = printf("[%d] ", level);
  n += vprintf(fmt, ap);
  va_end(ap);
  return n;
}
__attribute__((format(printf, 1, 2))) static char *format(const char *fmt, ...) {
  va_list ap, cp;
  va_start(ap, fmt);
  va_copy(cp, ap);
  int n = vsnprintf(NULL, 0, fmt, cp);
  va_end(cp);
  char *s = malloc((size_t)n + 1);
  if (s) vsnprintf(s, (size_t)n + 1, fmt, ap);
  va_end(ap);
  return s;
}
__attribute__((format(scanf, 2, 3))) static int scan(const char *s, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsscanf(s, fmt, ap);
  va_end(ap);
  return n;
}
static int vsum(int n, va_list *ap) {
  if (!n) return 0;
  int x = va_arg(*ap, int);
  return x + vsum(n - 1, ap);
}
static int sum(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int s = vsum(n, &ap);
  va_end(ap);
  return s;
}

#define SHOW(...) (printf(__VA_ARGS__), puts(""))
#define TAG(tag, fmt, ...) printf("<" tag ">" fmt "\n", ##__VA_ARGS__)
#define COUNT_(a, b, c, d, e, n, ...) n
#define COUNT(...) COUNT_(__VA_ARGS__, 5, 4, 3, 2, 1, 0)
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b

int main(void) {
  int n = logf_(1, "%s %d %.2f %c\n", "hello", 42, 2.5, 'x');
  n += logf_(2, "%d%d%d%d%d%d%d%d %g %g %g %g %g %g %g %g %g\n", 1, 2, 3, 4, 5, 6, 7, 8, .1, .2, .3, .4, .5, .6, .7, .8, .9);
  n += logf_(3, "plain\n");
  char *s = format("%05d|%-8s|%Lf|%*d", 42, "left", 1.25L, 6, -7);
  if (!s) return 1;
  puts(s);
  n += (int)strlen(s);
  free(s);
  int a = 0;
  double d = 0;
  char w[8] = "";
  int got = scan("17 2.5 word", "%d %lf %7s", &a, &d, w);
  printf("%d %d %g %s\n", got, a, d, w);
  int (*vf)(int, ...) = sum;
  printf("%d %d\n", vf(8, 1, 2, 3, 4, 5, 6, 7, 8), sum(3, 100, 20, 3));
  int (*pf)(const char *, ...) = printf;
  pf("%s %d\n", "indirect", 5);
  SHOW("%d-%d", 1, 2);
  TAG("b", "bold");
  TAG("i", "%d", 5);
  int CAT(va, lue) = COUNT(a, b, c);
  printf("%d %d %s\n", COUNT(x), value, XSTR(COUNT(1, 2, 3, 4)));
  return n;
}
