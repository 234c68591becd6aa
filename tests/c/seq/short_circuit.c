// Short circuit, conditional operator chains, side effects and sequence points.
#include <stdio.h>

static int calls;
static int t(int x) {
  calls = calls * 10 + x;
  return x;
}
static int f(int x) {
  calls = calls * 10 + x;
  return 0;
}
static const char *grade(int s) { return s >= 90 ? "A" : s >= 80 ? "B" : s >= 70 ? "C" : s >= 60 ? "D" : "F"; }

#define TRY(e)                                                                \
  do {                                                                        \
    calls = 0;                                                                \
    int r = (e);                                                              \
    printf("%s = %d [%d]\n", #e, r, calls);                                   \
  } while (0)

int main(void) {
  TRY(t(1) && t(2));
  TRY(f(1) && t(2));
  TRY(t(1) || t(2));
  TRY(f(1) || t(2));
  TRY((f(1) || t(2)) && f(3));
  TRY((t(1) && f(2)) || (t(3) && t(4)));
  TRY(!f(1) && !t(2));
  TRY(t(1) ? t(2) : t(3));
  TRY(f(1) ? t(2) : f(3) ? t(4) : t(5));
  TRY((t(1), f(2), t(3)));
  TRY(t(7) ?: t(8));
  TRY(f(7) ?: t(8));
  for (int s = 55; s <= 100; s += 9) printf("%s", grade(s));
  puts("");
  int *p = NULL, v = 5;
  printf("%d\n", p && *p);
  p = &v;
  printf("%d\n", p && *p > 3);
  int i = 3;
  int r = i > 2 && ++i > 3 && i++ < 5;
  printf("%d %d\n", r, i);
  (i > 3 ? &i : &v)[0] = 42;
  printf("%d %d\n", i, v);
  long mix = i ? 1 : 2u;
  double d = v ? v : 2.5;
  printf("%ld %g\n", mix, d);
  int j = i++ ? i : -1;
  printf("%d\n", j);
  return j;
}
