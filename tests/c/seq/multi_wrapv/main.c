// -fwrapv: signed overflow wraps.
#include <limits.h>
#include <stdio.h>

static int next(int x) { return x + 1; }
static int bigger(int x) { return x + 1 > x; }

int main(void) {
  volatile int m = INT_MAX;
  printf("%d %d %d\n", next(m), m * 2, -(m + 1));
  printf("%d %d\n", bigger(m), bigger(5));
  long l = LONG_MAX;
  l += m;
  printf("%ld\n", l);
  int h = 1;
  for (int i = 0; i < 100; i++) h = h * 31 + i;
  printf("%d\n", h);
  short s = SHRT_MAX;
  s++;
  signed char c = (signed char)(s >> 4);
  printf("%d %d\n", s, c);
  int n = 0;
  for (int i = INT_MAX - 5; i > 0; i++) n++;
  printf("%d\n", n);
  return n;
}
