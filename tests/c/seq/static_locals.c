// Static locals, static functions, shadowing, linkage and storage classes.
#include <stdio.h>

static int counter(void) {
  static int n = 10;
  return n++;
}
static int other(void) {
  static int n;
  static int *p = &n;
  *p += 3;
  return n;
}
static int fib(int n) {
  static int memo[40];
  if (n < 2) return n;
  if (!memo[n]) memo[n] = fib(n - 1) + fib(n - 2);
  return memo[n];
}
static const char *day(int i) {
  static const char *const names[] = {"mon", "tue", "wed"};
  return names[i % 3];
}
static char *stamp(int v) {
  static char buf[2][16];
  static int which;
  which ^= 1;
  snprintf(buf[which], sizeof buf[which], "<%d>", v);
  return buf[which];
}
int x = 1;
static int shadow(int x) {
  {
    int x = 100;
    {
      extern int x;
      x++;
    }
    x++;
    if (x != 101) return -1;
  }
  for (int x = 0; x < 3; x++) {
    static int x2 = 5;
    x2 += x;
    if (x == 2) return x2;
  }
  return x;
}

int main(void) {
  for (int i = 0; i < 3; i++) printf("%d %d %s ", counter(), other(), day(i));
  printf("\n%d\n", fib(39));
  char *a = stamp(1), *b = stamp(2);
  printf("%s %s\n", a, b);
  printf("%d ", shadow(7));
  printf("%d ", shadow(7));
  printf("%d\n", x);
  register int r = counter();
  return r;
}
