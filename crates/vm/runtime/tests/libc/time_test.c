/* The calendar and strftime against glibc (both in UTC), and the virtual clocks. */
#include "harness.h"

#include <limits.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"

OURS(gmtime_r);
OURS(gmtime);
OURS(localtime);
OURS(localtime_r);
OURS(mktime);
OURS(timegm);
OURS(asctime);
OURS(asctime_r);
OURS(ctime);
OURS(ctime_r);
OURS(strftime);

OURS(time);
OURS(clock);
OURS(clock_gettime);
OURS(clock_getres);
OURS(gettimeofday);
OURS(nanosleep);
OURS(clock_nanosleep);
OURS(sleep);
OURS(usleep);
OURS(timespec_get);
OURS(difftime);
OURS(select);
OURS(poll);
OURS(__errno_location);

void __tb_cancellation_point(void) {}

static bool same(const struct tm *a, const struct tm *b)
{
    return a->tm_sec == b->tm_sec && a->tm_min == b->tm_min && a->tm_hour == b->tm_hour && a->tm_mday == b->tm_mday &&
           a->tm_mon == b->tm_mon && a->tm_year == b->tm_year && a->tm_wday == b->tm_wday && a->tm_yday == b->tm_yday &&
           a->tm_isdst == b->tm_isdst && a->tm_gmtoff == b->tm_gmtoff && !strcmp(a->tm_zone, b->tm_zone);
}

static time_t random_time(void)
{
    switch (random_below(5)) {
    case 0:
        return (time_t)random_interesting();
    case 1:
        return (time_t)(random_bits() % 8000000000) - 2000000000;
    case 2: /* around new year */
        return ((time_t)random_below(400) - 100) * 31556952 + (time_t)random_below(172800) - 86400;
    case 3:
        return (time_t)(random_bits() % 67767976233532799ull) * (random_below(2) ? 1 : -1);
    default:
        return (time_t)random_below(100000);
    }
}

static void calendar(void)
{
    for (int i = times(60000); i > 0; i--) {
        time_t t = random_time();
        struct tm a, b;
        errno = *tb___errno_location() = 0;
        bool theirs = gmtime_r(&t, &a), ours = tb_gmtime_r(&t, &b);
        CHECK(theirs == ours && errno == *tb___errno_location() && (!theirs || same(&a, &b)), "gmtime of %ld", (long)t);
        if (!theirs)
            continue;
        localtime_r(&t, &a);
        tb_localtime_r(&t, &b);
        CHECK(same(&a, &b), "localtime of %ld", (long)t);
        CHECK(tb_timegm(&b) == t, "timegm of gmtime of %ld", (long)t);
        char x[64], y[64];
        char *p = asctime_r(&a, x), *q = tb_asctime_r(&a, y);
        CHECK(!p == !q && (!p || !strcmp(x, y)), "asctime_r of %ld", (long)t);
        p = ctime(&t), q = tb_ctime(&t);
        CHECK(!p == !q && (!p || !strcmp(p, q)), "ctime of %ld", (long)t);
    }
    for (int i = times(60000); i > 0; i--) {
        struct tm a = {0}, b;
        unsigned wild = random_below(3);
        a.tm_year = wild == 2 ? (int)random_bits() : (int)random_below(400) - 100;
        a.tm_mon = wild ? (int)random_below(100) - 50 : (int)random_below(12);
        a.tm_mday = wild ? (int)random_below(2000) - 1000 : 1 + (int)random_below(31);
        a.tm_hour = wild ? (int)random_interesting() : (int)random_below(24);
        a.tm_min = wild ? (int)random_interesting() : (int)random_below(60);
        a.tm_sec = wild ? (int)random_interesting() : (int)random_below(61);
        struct tm given = b = a;
        errno = *tb___errno_location() = 0;
        time_t theirs = timegm(&a), ours = tb_timegm(&b);
        CHECK(theirs == ours && errno == *tb___errno_location() && (errno || same(&a, &b)),
              "timegm of %d-%d-%d %d:%d:%d = %ld, glibc %ld", given.tm_year, given.tm_mon, given.tm_mday, given.tm_hour,
              given.tm_min, given.tm_sec, (long)ours, (long)theirs);
        a = b = given;
        theirs = mktime(&a), ours = tb_mktime(&b);
        CHECK(theirs == ours && (errno || same(&a, &b)), "mktime = %ld, glibc %ld", (long)ours, (long)theirs);
    }
    struct tm odd = {.tm_wday = 9, .tm_mon = -1, .tm_mday = 7, .tm_year = 100};
    CHECK(!strcmp(asctime(&odd), tb_asctime(&odd)), "asctime of odd fields");
    CHECK(tb_difftime(5, 3) == 2.0, "difftime");
}

static void text(void)
{
    static const char conversions[] = "aAbBcCdDeFgGhHIjklmMnpPrRsSTtuUVwWxXyYzZ%qf";
    for (int i = times(100000); i > 0; i--) {
        time_t t = random_below(3) ? (time_t)(random_bits() % 8000000000) - 4000000000 : (time_t)(random_bits() % 600000000000) - 300000000000;
        struct tm tm;
        gmtime_r(&t, &tm);
        char format[32], theirs[300], ours[300];
        char *p = format;
        *p++ = '%';
        while (random_below(4) == 0)
            *p++ = "_-0^#"[random_below(5)];
        if (random_below(5) == 0)
            p += sprintf(p, "%u", random_below(20));
        *p = 0;
        if (random_below(12) == 0 && !strchr(format, '#'))
            *p++ = "EO"[random_below(2)];
        *p++ = conversions[random_below(sizeof conversions - 1)];
        *p++ = '|';
        *p = 0;
        size_t size = random_below(5) ? sizeof theirs : random_below(12);
        memset(theirs, '#', sizeof theirs);
        memset(ours, '#', sizeof ours);
        size_t a = strftime(theirs, size, format, &tm), b = tb_strftime(ours, size, format, &tm);
        CHECK(a == b && (a == 0 || !strcmp(theirs, ours)),
              "strftime(\"%s\", year %d, size %zu) = %zu \"%.*s\", glibc %zu \"%.*s\"", format, tm.tm_year + 1900,
                  size, b,
              (int)b, ours, a, (int)a, theirs);
    }
    struct tm odd = {.tm_wday = 9, .tm_mon = 13, .tm_mday = 7, .tm_year = -3000, .tm_isdst = -1};
    static const char *const formats[] = {"%a %A %b %B", "%C %y %Y %g %G", "%z", "%d", "%", "%5", "%E", "%Ed", "%Oa",
                                          "plain", "", "%c"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char theirs[200] = "", ours[200] = "";
        size_t a = strftime(theirs, 200, formats[i], &odd), b = tb_strftime(ours, 200, formats[i], &odd);
        CHECK(a == b && !strcmp(theirs, ours), "strftime(\"%s\") of odd fields: \"%s\", glibc \"%s\"", formats[i],
              ours, theirs);
    }
}

static void clocks(void)
{
    world.now = 0;
    struct timespec ts, res;
    struct timeval tv;
    CHECK(tb_time(NULL) == 1767225600, "time starts in 2026");
    CHECK(tb_clock_gettime(CLOCK_MONOTONIC, &ts) == 0 && ts.tv_sec > 0, "the monotonic clock starts above 0");
    time_t start = ts.tv_sec;
    CHECK(tb_sleep(3) == 0 && tb_usleep(250000) == 0, "sleep");
    CHECK(tb_nanosleep(&(struct timespec){1, 500}, NULL) == 0, "nanosleep");
    CHECK(tb_clock_gettime(CLOCK_MONOTONIC, &ts) == 0 && ts.tv_sec == start + 4 && ts.tv_nsec == 250000500,
          "time has passed");
    CHECK(tb_gettimeofday(&tv, NULL) == 0 && tv.tv_sec == 1767225604 && tv.tv_usec == 250000, "gettimeofday");
    CHECK(tb_clock() == 4250000, "clock");
    CHECK(tb_timespec_get(&ts, TIME_UTC) == TIME_UTC && ts.tv_sec == 1767225604, "timespec_get");
    CHECK(tb_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){start + 10, 0}, NULL) == 0,
          "clock_nanosleep");
    tb_clock_gettime(CLOCK_MONOTONIC, &ts);
    CHECK(ts.tv_sec == start + 10 && ts.tv_nsec == 0, "slept until");
    CHECK(tb_clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){5, 0}, NULL) == 0, "a time in the past");
    CHECK(tb_nanosleep(&(struct timespec){0, 1000000000}, NULL) == -1 && *tb___errno_location() == EINVAL,
          "bad nanoseconds");
    CHECK(tb_clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){-1, 0}, NULL) == EINVAL, "a negative time");
    uint64_t before = world.now;
    CHECK(tb_select(0, NULL, NULL, NULL, &(struct timeval){2, 500000}) == 0 && tb_poll(NULL, 0, 250) == 0, "select, poll");
    CHECK(world.now - before == 2750000000, "select and poll sleep");
    RUN_TO_END(tb_poll(&(struct pollfd){0, POLLIN, 0}, 1, 5));
    CHECK(world_end == UNSUPPORTED, "poll on descriptors");
    CHECK(tb_clock_gettime(99, &ts) == -1, "an unknown clock");
    CHECK(tb_clock_getres(CLOCK_REALTIME, &res) == 0 && res.tv_nsec == 1, "clock_getres");
}

void test_time(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    calendar();
    text();
    clocks();
}
