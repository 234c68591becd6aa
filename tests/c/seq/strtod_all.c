// strtod, strtof, strtold, atof: forms, hexadecimal, inf/nan, range errors, rounding.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  static const char *const in[] = {"0",     "1.5",    "-2.75e3", "  +.5x", "1e",      "1e+",   "0x1.8p1", "0x",    "inf",  "-Infinity", "nan",
                                   "1e400", "-1e400", "1e-400",  "4.9e-324", "2.2250738585072011e-308", "0.1", "123456789012345678901234567890",
                                   "1.7976931348623159e308", ".", "e5", "", "9007199254740993", "1.00000005960464477540"};
  for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
    char *e;
    errno = 0;
    double d = strtod(in[i], &e);
    int er = errno == ERANGE;
    printf("%s: ", in[i]);
    if (isnan(d)) printf("nan");
    else printf("%a", d);
    printf(" %td %d", e - in[i], er);
    errno = 0;
    float f = strtof(in[i], &e);
    if (!isnan(f)) printf(" %a", f);
    printf(" %d", errno == ERANGE);
    long double l = strtold(in[i], NULL);
    if (!isnan(l)) printf(" %La", l);
    puts("");
  }
  printf("%g %g\n", atof("3.25abc"), atof("junk"));
  double sum = 0;
  char *p = "1.5 2.5 -1e1 0x10 end", *q;
  int n = 0;
  for (;; n++) {
    double v = strtod(p, &q);
    if (q == p) break;
    sum += v;
    p = q;
  }
  printf("%d %g '%s'\n", n, sum, p);
  return n;
}
