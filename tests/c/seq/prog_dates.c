// Date calculations: day numbers, weekdays, leap years, Easter, ISO weeks, calendars, durations.
#include <stdio.h>
#include <time.h>

static int leap(int y) { return (y % 4 == 0 && y % 100) || y % 400 == 0; }
static int mdays(int y, int m) {
  static const char d[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return d[m - 1] + (m == 2 && leap(y));
}
static long to_days(int y, int m, int d) {
  long n = 0;
  if (y >= 1970)
    for (int i = 1970; i < y; i++) n += 365 + leap(i);
  else
    for (int i = y; i < 1970; i++) n -= 365 + leap(i);
  for (int i = 1; i < m; i++) n += mdays(y, i);
  return n + d - 1;
}
static void from_days(long n, int *y, int *m, int *d) {
  for (*y = 1970; n < 0; n += 365 + leap(*y)) --*y;
  for (; n >= 365 + leap(*y); ++*y) n -= 365 + leap(*y);
  for (*m = 1; n >= mdays(*y, *m); ++*m) n -= mdays(*y, *m);
  *d = (int)n + 1;
}
static int weekday(long n) { return (int)((n % 7 + 7 + 4) % 7); }
static void easter(int y, int *m, int *d) {
  int a = y % 19, b = y / 100, c = y % 100;
  int h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  int l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
  int t = h + l - 7 * ((a + 11 * h + 22 * l) / 451) + 114;
  *m = t / 31;
  *d = t % 31 + 1;
}
static int iso_week(int y, int m, int d) {
  long n = to_days(y, m, d);
  long thursday = n - (weekday(n) + 6) % 7 + 3;
  int ty, tm, td;
  from_days(thursday, &ty, &tm, &td);
  return (int)((thursday - to_days(ty, 1, 1)) / 7) + 1;
}
static void calendar(int y, int m) {
  int w = (weekday(to_days(y, m, 1)) + 6) % 7;
  printf("%*s", w * 3, "");
  for (int d = 1; d <= mdays(y, m); d++) printf("%2d%c", d, ++w % 7 == 0 ? '\n' : ' ');
  if (w % 7) puts("");
}

int main(void) {
  int bad = 0;
  for (long n = -20000; n < 30000; n += 397) {
    int y, m, d;
    from_days(n, &y, &m, &d);
    time_t t = n * 86400;
    struct tm tm;
    gmtime_r(&t, &tm);
    bad += to_days(y, m, d) != n || tm.tm_year + 1900 != y || tm.tm_mon + 1 != m || tm.tm_mday != d || tm.tm_wday != weekday(n);
  }
  printf("%d\n", bad);
  for (int y = 1999; y < 2030; y += 6) {
    int m, d;
    easter(y, &m, &d);
    printf("%d-%02d-%02d w%d %d\n", y, m, d, iso_week(y, m, d), weekday(to_days(y, m, d)));
  }
  printf("%d %d %d\n", iso_week(2020, 12, 31), iso_week(2021, 1, 1), iso_week(2018, 12, 31));
  calendar(2024, 2);
  long secs = 987654;
  printf("%ldd %02ld:%02ld:%02ld\n", secs / 86400, secs / 3600 % 24, secs / 60 % 60, secs % 60);
  int fridays = 0;
  for (int y = 2000; y < 2010; y++)
    for (int m = 1; m <= 12; m++) fridays += weekday(to_days(y, m, 13)) == 5;
  printf("%d\n", fridays);
  return fridays;
}
