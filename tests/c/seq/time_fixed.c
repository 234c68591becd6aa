// time.h on fixed values: gmtime, timegm, strftime, mktime under TZ=UTC, difftime, asctime.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void) {
  setenv("TZ", "UTC0", 1);
  tzset();
  static const time_t ts[] = {0, 1, 86399, 86400, 951782400, 1000000000, 1709164800, 2147483647, 4102444800, -1, -86400 * 365};
  for (unsigned i = 0; i < sizeof ts / sizeof *ts; i++) {
    struct tm tm;
    if (!gmtime_r(&ts[i], &tm)) return 1;
    char b[64];
    strftime(b, sizeof b, "%Y-%m-%d %H:%M:%S %j %u %w %U %V %G %y %C %e %I %p", &tm);
    printf("%s %ld\n", b, (long)timegm(&tm));
    struct tm copy = tm;
    copy.tm_isdst = 0;
    printf("%ld\n", (long)mktime(&copy));
  }
  struct tm t;
  memset(&t, 0, sizeof t);
  t.tm_year = 123;
  t.tm_mon = 13;
  t.tm_mday = 35;
  t.tm_hour = -5;
  t.tm_min = 130;
  time_t norm = mktime(&t);
  printf("%ld %d-%d-%d %d:%d wday %d yday %d\n", (long)norm, t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_wday, t.tm_yday);
  char b[160];
  size_t n = strftime(b, sizeof b, "%a %A %b %B %c|%x|%X|%D|%F|%T|%R|%r|%n%t%%", &t);
  printf("%zu %s\n", n, b);
  printf("%zu\n", strftime(b, 5, "%Y-%m", &t));
  printf("%s", asctime(&t));
  time_t z = 1234567890;
  printf("%s", ctime(&z));
  printf("%.1f %.1f\n", difftime(100, 40), difftime(40, 100));
  struct tm *l = localtime(&z);
  printf("%d %d\n", l->tm_hour, l->tm_min);
  printf("%d\n", (int)(clock() >= 0));
  return t.tm_mday;
}
