/* The calendar of <time.h>. Local time is UTC. */
#include "tb_internal.h"

#include <time.h>

char *tzname[2] = {(char *)"UTC", (char *)"UTC"};
int daylight;
long timezone;
extern char *__tzname[2] __attribute__((alias("tzname")));
extern int __daylight __attribute__((alias("daylight")));
extern long __timezone __attribute__((alias("timezone")));

void tzset(void) {}

#define DAY 86400
/* The days of 400 years, after which the calendar repeats, and those from 0000-03-01 to 1970-01-01. */
#define ERA 146097
#define EPOCH 719468

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* Days since 1970 of the first of a month (0 = January). Years are counted from March, so that the leap day is their
 * last day; the months from March on then have (153 m + 2) / 5 days before them. */
static int64_t days_to(int64_t year, int month)
{
    if (month < 2)
        year--;
    int64_t era = floor_div(year, 400), of_era = year - era * 400;
    int from_march = (month + 10) % 12;
    return era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 - EPOCH;
}

/* Fills in the date and the time of day; false if the year does not fit an int. */
static bool break_down(int64_t time, struct tm *to)
{
    int64_t days = floor_div(time, DAY), rest = time % DAY < 0 ? time % DAY + DAY : time % DAY;
    int64_t shifted = days + EPOCH, era = floor_div(shifted, ERA), of_era = shifted - era * ERA;
    /* The year of the era, less the leap days that came before. */
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA - 1)) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int from_march = (int)((5 * of_year + 2) / 153);
    int month = (from_march + 2) % 12;
    int64_t year = era * 400 + year_of_era + (month < 2);
    if (year - 1900 > INT_MAX || year - 1900 < INT_MIN)
        return false;
    to->tm_year = (int)(year - 1900);
    to->tm_mon = month;
    to->tm_mday = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    to->tm_hour = (int)(rest / 3600);
    to->tm_min = (int)(rest / 60 % 60);
    to->tm_sec = (int)(rest % 60);
    to->tm_wday = (int)((days % 7 + 11) % 7);
    to->tm_yday = (int)(days - days_to(year, 0));
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    return true;
}

static struct tm *convert(const time_t *time, struct tm *to, const char *zone)
{
    if (!break_down(*time, to)) {
        errno = EOVERFLOW;
        return NULL;
    }
    to->tm_zone = zone;
    return to;
}

/* gmtime, localtime, asctime and ctime share their buffers as in glibc: not thread-safe, and the race is to be seen. */
static struct tm shared;

struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to) { return convert(time, to, "GMT"); }

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to) { return convert(time, to, "UTC"); }

struct tm *gmtime(const time_t *time) { return convert(time, &shared, "GMT"); }

struct tm *localtime(const time_t *time) { return convert(time, &shared, "UTC"); }

/* The time of any fields, which are then brought into their ranges. */
time_t __tbi_compose(struct tm *from, const char *zone)
{
    int64_t months = from->tm_mon, year = 1900 + (int64_t)from->tm_year + floor_div(months, 12);
    int64_t days = days_to(year, (int)(months - floor_div(months, 12) * 12)) + from->tm_mday - 1;
    int64_t time = days * DAY + (int64_t)from->tm_hour * 3600 + (int64_t)from->tm_min * 60 + from->tm_sec;
    struct tm normal;
    if (!break_down(time, &normal)) {
        errno = EOVERFLOW;
        return -1;
    }
    normal.tm_zone = zone;
    *from = normal;
    return time;
}

time_t mktime(struct tm *from) { return __tbi_compose(from, "UTC"); }

time_t timegm(struct tm *from) { return __tbi_compose(from, "GMT"); }

time_t timelocal(struct tm *from) { return __tbi_compose(from, "UTC"); }

int dysize(int year) { return is_leap(year) ? 366 : 365; }

/* ---- text ---- */

static const char day_names[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

static char *write_time(const struct tm *time, char *to, size_t size)
{
    const char *day = (unsigned)time->tm_wday < 7 ? day_names[time->tm_wday] : "???";
    const char *month = (unsigned)time->tm_mon < 12 ? month_names[time->tm_mon] : "???";
    if (time->tm_year > INT_MAX - 1900) {
        errno = EOVERFLOW;
        return NULL;
    }
    int n = __tbi_snprintf(to, size, "%s %s%3d %.2d:%.2d:%.2d %d\n", day, month, time->tm_mday, time->tm_hour,
                           time->tm_min, time->tm_sec, 1900 + time->tm_year);
    if (n < 0 || (size_t)n >= size) {
        errno = EOVERFLOW;
        return NULL;
    }
    return to;
}

#define TEXT_SIZE 26
static char shared_text[114];

char *asctime_r(const struct tm *restrict time, char *restrict to) { return write_time(time, to, TEXT_SIZE); }

char *asctime(const struct tm *time) { return write_time(time, shared_text, sizeof shared_text); }

char *ctime_r(const time_t *restrict time, char *restrict to)
{
    struct tm broken_down;
    return convert(time, &broken_down, "UTC") ? write_time(&broken_down, to, TEXT_SIZE) : NULL;
}

char *ctime(const time_t *time)
{
    return convert(time, &shared, "UTC") ? write_time(&shared, shared_text, sizeof shared_text) : NULL;
}
