// strtol, strtoul, strtoll, strtoull, strtoimax, atoi: bases, signs, errors, end pointers.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  static const char *const in[] = {"0",       "42",  "-42",  "+7",  "  \t 99x", "0x1f",  "0X1Fg", "017",  "08",  "0x", "z",
                                   "-zz",     "",    "-",    "+-5", "1e5",      "2147483648", "9223372036854775807",
                                   "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
                                   "18446744073709551615", "18446744073709551616", "-1", "0b101"};
  static const int bases[] = {0, 2, 8, 10, 16, 36};
  for (unsigned i = 0; i < sizeof in / sizeof *in; i++) {
    for (unsigned j = 0; j < 6; j++) {
      char *e1, *e2;
      errno = 0;
      long a = strtol(in[i], &e1, bases[j]);
      int er1 = errno;
      errno = 0;
      unsigned long b = strtoul(in[i], &e2, bases[j]);
      int er2 = errno;
      printf("%ld/%td%s %lu/%td%s;", a, e1 - in[i], er1 == ERANGE ? "R" : "", b, e2 - in[i], er2 == ERANGE ? "R" : "");
    }
    printf("\n");
  }
  char *e;
  errno = 0;
  strtol("1", &e, 1);
  printf("%d\n", errno == EINVAL);
  printf("%lld %llu %jd %ju\n", strtoll("-123456789012", NULL, 10), strtoull("ffffffffffff", NULL, 16), strtoimax("-77", NULL, 0),
         strtoumax("0777", NULL, 0));
  printf("%d %ld %lld\n", atoi("  -123abc"), atol("2147483648"), atoll("-1"));
  return (int)strtol("c8", NULL, 16);
}
