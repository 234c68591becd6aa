// Loops whose variables swap and rotate at once: parallel copies at loop heads.
#include <stdint.h>
#include <stdio.h>

static uint64_t fib(int n) {
  uint64_t a = 0, b = 1;
  while (n--) {
    uint64_t t = a + b;
    a = b;
    b = t;
  }
  return a;
}
static int rotate3(int n, int a, int b, int c) {
  for (int i = 0; i < n; i++) {
    int t = a;
    a = b;
    b = c;
    c = t;
  }
  return a * 100 + b * 10 + c;
}
static int swap_only(int n) {
  int x = 1, y = 2;
  do {
    int t = x;
    x = y;
    y = t;
  } while (--n > 0);
  return x * 10 + y;
}
static long gcd_ext(long a, long b, long *px, long *py) {
  long x0 = 1, y0 = 0, x1 = 0, y1 = 1;
  while (b) {
    long q = a / b, t;
    t = a % b, a = b, b = t;
    t = x0 - q * x1, x0 = x1, x1 = t;
    t = y0 - q * y1, y0 = y1, y1 = t;
  }
  *px = x0;
  *py = y0;
  return a;
}
static int delay_line(const int *in, int n) {
  int d1 = 0, d2 = 0, d3 = 0, acc = 0;
  for (int i = 0; i < n; i++) {
    int out = in[i] - d1 * 2 + d2 * 3 - d3;
    d3 = d2;
    d2 = d1;
    d1 = in[i];
    acc = (acc * 7 + out) % 10007;
  }
  return acc;
}
static double swap_double(int n) {
  double a = 1.5, b = -2.25;
  float f = 0.5f, g = 4;
  for (int i = 0; i < n; i++) {
    double t = a;
    a = b * (i & 1 ? 1 : -1);
    b = t;
    float u = f;
    f = g;
    g = u + 1;
  }
  return a * 1000 + b * 10 + f - g;
}
static const char *swap_ptr(int n) {
  const char *p = "left", *q = "right", *r = "middle";
  for (int i = 0; i < n; i++) {
    const char *t = p;
    p = q;
    q = i % 3 ? r : t;
    r = t;
  }
  return p;
}

int main(void) {
  volatile int k = 90;
  printf("%lu\n", fib(k));
  for (int i = 0; i < 4; i++) printf("%d %d ", rotate3(k + i, 1, 2, 3), swap_only(k + i));
  puts("");
  long x, y, g = gcd_ext(240, 46, &x, &y);
  printf("%ld %ld %ld\n", g, x, y);
  int in[40];
  for (int i = 0; i < 40; i++) in[i] = i * i % 17;
  printf("%d\n", delay_line(in, 40));
  printf("%g %g\n", swap_double(k), swap_double(k + 1));
  for (int i = 0; i < 6; i++) printf("%s ", swap_ptr(i));
  puts("");
  return rotate3(k, 1, 2, 3) & 0xff;
}
