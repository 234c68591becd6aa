// stdlib.h: abs, labs, div, ldiv, lldiv, imaxdiv, getenv of unset names, setenv, mblen, system constants.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  volatile int i = -17;
  volatile long l = LONG_MIN + 1;
  printf("%d %ld %lld %jd\n", abs(i), labs(l), llabs(-5ll), imaxabs(-9));
  for (int a = -7; a <= 7; a += 14)
    for (int b = -2; b <= 2; b += 4) {
      div_t d = div(a, b);
      ldiv_t ld = ldiv(a * 1000000000l, b * 3);
      lldiv_t lld = lldiv(a, b);
      imaxdiv_t im = imaxdiv(a * 11, b);
      printf("%d %d %ld %ld %lld %lld %jd %jd\n", d.quot, d.rem, ld.quot, ld.rem, lld.quot, lld.rem, im.quot, im.rem);
    }
  printf("%d\n", getenv("THREADBARE_SURELY_UNSET_NAME") == NULL);
  setenv("THREADBARE_T", "one", 1);
  printf("%s ", getenv("THREADBARE_T"));
  setenv("THREADBARE_T", "two", 0);
  printf("%s ", getenv("THREADBARE_T"));
  setenv("THREADBARE_T", "three", 1);
  printf("%s ", getenv("THREADBARE_T"));
  unsetenv("THREADBARE_T");
  printf("%d\n", getenv("THREADBARE_T") == NULL);
  printf("%d %d %d\n", EXIT_SUCCESS, EXIT_FAILURE, (int)MB_CUR_MAX);
  printf("%d %d\n", mblen("a", 1), mblen("", 1));
  wchar_t wc;
  printf("%d", mbtowc(&wc, "Q", 1));
  printf(" %d\n", (int)wc);
  return abs(i);
}
