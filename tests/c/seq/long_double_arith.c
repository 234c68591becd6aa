// long double (x87 80-bit) arithmetic, precision, comparisons, printing.
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void show(const char *what, long double x) {
  unsigned char raw[16] = {0};
  memcpy(raw, &x, 10);
  printf("%s ", what);
  for (int i = 9; i >= 0; i--) printf("%02x", raw[i]);
  printf(" %La %.21Lg\n", x, x);
}

int main(void) {
  volatile long double a = 1.0L / 3, b = 2.0L / 7, one = 1, zero = 0;
  show("third", a);
  show("add", a + b);
  show("sub", a - b);
  show("mul", a * b);
  show("div", a / b);
  show("neg", -a);
  show("eps", one + LDBL_EPSILON - one);
  show("max", LDBL_MAX);
  show("min", LDBL_MIN);
  show("den", LDBL_MIN / 8);
  show("inf", one / zero);
  show("2^63+1", 9223372036854775809.0L);
  printf("%d %d\n", one + LDBL_EPSILON / 2 == one, a * 3 == one);
  printf("%d %d %zu %zu\n", LDBL_MANT_DIG, LDBL_MAX_EXP, sizeof(long double), _Alignof(long double));
  long double s = 0;
  for (int i = 1; i <= 500; i++) s += 1.0L / i / i;
  show("zeta2", s);
  show("sqrt", sqrtl(s * 6));
  double d = (double)s;
  float f = (float)s;
  printf("%a %a\n", d, f);
  long double big = 1;
  for (int i = 0; i < 40; i++) big *= 1000003;
  show("big", big);
  volatile long double w[] = {1.5L, -1.5L, 1e18L, -9223372036854775808.0L, 18446744073709551615.0L};
  printf("%d %d %ld %ld %lu\n", (int)w[0], (int)w[1], (long)w[2], (long)w[3], (unsigned long)w[4]);
  volatile uint64_t u = UINT64_MAX;
  volatile int64_t i = INT64_MIN;
  show("u64", (long double)u);
  show("i64", (long double)i);
  printf("%Lf %Le %Lg %.3Lf %Lf\n", a, b, s, -a, LDBL_MAX > 1 ? 2.5L : 0.0L);
  long double arr[3] = {1, 2, 3};
  arr[1] *= arr[2] + 0.125L;
  show("arr", arr[0] + arr[1]);
  struct {
    char c;
    long double v;
  } st = {'x', 7.25L}, st2 = st;
  show("st", st2.v);
  return s > 1.64L && s < 1.65L ? 21 : 22;
}
