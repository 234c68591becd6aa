/* strptime in the C locale, with what glibc knows beyond POSIX (%F %k %l %P %s %z) and works out: the day of the week and
 * of the year of a date, and a date from the day of the year, or from a week and a day of the week. */
#include "tb_internal.h"

#include <time.h>

static const char day_names[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char month_names[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};

/* What has been read so far, beside the fields of `struct tm`. */
struct reading {
    const char *text;
    struct tm *to;
    int century; /* -1: none */
    int week;
    bool is_pm, has_12_hours, has_year, has_year_of_century, has_month, has_month_day, has_year_day, has_week_day;
    bool has_week_from_sunday, has_week_from_monday;
};

static void skip_space(struct reading *in)
{
    while (tb_is_space((unsigned char)*in->text))
        in->text++;
}

/* At most so many digits, with blanks before them, of a number in a range. It ends where one more digit would be too much. */
static bool number(struct reading *in, int digits, int least, int most, int *to)
{
    while (*in->text == ' ')
        in->text++;
    if (!tb_is_digit((unsigned char)*in->text))
        return false;
    int value = *in->text++ - '0';
    while (--digits > 0 && value * 10 <= most && tb_is_digit((unsigned char)*in->text))
        value = value * 10 + (*in->text++ - '0');
    *to = value;
    return value >= least && value <= most;
}

/* How many bytes of the text are those of `name`, whatever their case: all of them, or `shorter`. */
static size_t name_length(const char *text, const char *name, size_t shorter)
{
    size_t n = 0;
    while (name[n] && tb_lower((unsigned char)text[n]) == tb_lower((unsigned char)name[n]))
        n++;
    return !name[n] ? n : n >= shorter ? shorter : 0;
}

static bool name(struct reading *in, const char (*names)[10], int count, int *to)
{
    for (int i = 0; i < count; i++) {
        size_t n = name_length(in->text, names[i], 3);
        if (n) {
            in->text += n;
            *to = i;
            return true;
        }
    }
    return false;
}

static bool half_of_day(struct reading *in)
{
    int c = tb_lower((unsigned char)in->text[0]);
    if ((c != 'a' && c != 'p') || tb_lower((unsigned char)in->text[1]) != 'm')
        return false;
    in->text += 2;
    in->is_pm = c == 'p';
    return true;
}

/* `Z`, or hours and minutes with a sign. */
static bool zone(struct reading *in)
{
    skip_space(in);
    if (*in->text == 'Z') {
        in->text++;
        in->to->tm_gmtoff = 0;
        return true;
    }
    char sign = *in->text;
    if (sign != '+' && sign != '-')
        return false;
    in->text++;
    int value = 0, n = 0;
    while (n < 4 && tb_is_digit((unsigned char)*in->text)) {
        value = value * 10 + (*in->text++ - '0');
        if (++n == 2 && *in->text == ':')
            in->text++;
    }
    if (n == 2)
        value *= 100;
    else if (n != 4)
        return false;
    if (value > 1400 || value % 100 >= 60)
        return false;
    long seconds = value / 100 * 3600L + value % 100 * 60L;
    in->to->tm_gmtoff = sign == '-' ? -seconds : seconds;
    return true;
}

static bool seconds_since_1970(struct reading *in)
{
    int64_t value = 0;
    if (!tb_is_digit((unsigned char)*in->text))
        return false;
    while (tb_is_digit((unsigned char)*in->text))
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *in->text++ - '0', &value))
            return false;
    time_t time = value;
    return localtime_r(&time, in->to) != NULL;
}

static bool read_format(struct reading *in, const char *format);

static bool conversion(struct reading *in, char c)
{
    struct tm *to = in->to;
    int value;
    switch (c) {
    case '%':
        return *in->text++ == '%';
    case 'a':
    case 'A':
        return in->has_week_day = name(in, day_names, 7, &to->tm_wday);
    case 'b':
    case 'B':
    case 'h':
        return in->has_month = name(in, month_names, 12, &to->tm_mon);
    case 'c':
        return read_format(in, "%a %b %e %H:%M:%S %Y");
    case 'C':
        return number(in, 2, 0, 99, &in->century);
    case 'd':
    case 'e':
        return in->has_month_day = number(in, 2, 1, 31, &to->tm_mday);
    case 'x':
    case 'D':
        return read_format(in, "%m/%d/%y");
    case 'F':
        return read_format(in, "%Y-%m-%d");
    case 'k':
    case 'H':
        in->has_12_hours = false;
        return number(in, 2, 0, 23, &to->tm_hour);
    case 'l':
    case 'I':
        if (!number(in, 2, 1, 12, &value))
            return false;
        to->tm_hour = value % 12;
        return in->has_12_hours = true;
    case 'j':
        if (!number(in, 3, 1, 366, &value))
            return false;
        to->tm_yday = value - 1;
        return in->has_year_day = true;
    case 'm':
        if (!number(in, 2, 1, 12, &value))
            return false;
        to->tm_mon = value - 1;
        return in->has_month = true;
    case 'M':
        return number(in, 2, 0, 59, &to->tm_min);
    case 'n':
    case 't':
        skip_space(in);
        return true;
    case 'p':
    case 'P':
        return half_of_day(in);
    case 'r':
        return read_format(in, "%I:%M:%S %p");
    case 'R':
        return read_format(in, "%H:%M");
    case 's':
        return seconds_since_1970(in);
    case 'S':
        return number(in, 2, 0, 61, &to->tm_sec);
    case 'X':
    case 'T':
        return read_format(in, "%H:%M:%S");
    case 'u':
        if (!number(in, 1, 1, 7, &value))
            return false;
        to->tm_wday = value % 7;
        return in->has_week_day = true;
    case 'g':
        return number(in, 2, 0, 99, &value);
    case 'G':
        return number(in, 4, 0, 9999, &value);
    case 'U':
        return in->has_week_from_sunday = number(in, 2, 0, 53, &in->week);
    case 'W':
        return in->has_week_from_monday = number(in, 2, 0, 53, &in->week);
    case 'V':
        return number(in, 2, 0, 53, &value);
    case 'w':
        return in->has_week_day = number(in, 1, 0, 6, &to->tm_wday);
    case 'y':
        if (!number(in, 2, 0, 99, &value))
            return false;
        to->tm_year = value >= 69 ? value : value + 100;
        return in->has_year = in->has_year_of_century = true;
    case 'Y':
        if (!number(in, 4, 0, 9999, &value))
            return false;
        to->tm_year = value - 1900;
        in->has_year_of_century = false;
        in->century = -1;
        return in->has_year = true;
    case 'Z':
        __tb_unsupported("%Z of strptime");
    case 'z':
        return zone(in);
    default:
        return false;
    }
}

static bool read_format(struct reading *in, const char *format)
{
    for (; *format; format++) {
        if (tb_is_space((unsigned char)*format)) {
            skip_space(in);
        } else if (*format != '%') {
            if (*in->text++ != *format)
                return false;
        } else {
            format++;
            /* Flags and widths are skipped, and so are the modifiers of other calendars and digits. */
            while (*format == '-' || *format == '_' || *format == '0' || *format == '^' || *format == '#')
                format++;
            if (*format == 'E' || *format == 'O')
                format++;
            if (!*format || !conversion(in, *format))
                return false;
        }
    }
    return true;
}

static int days_before(int year, int month)
{
    static const short days[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month] + (leap && month > 1);
}

static int week_day_of(int year, int month, int day)
{
    struct tm date = {.tm_year = year - 1900, .tm_mon = month, .tm_mday = day};
    __tbi_compose(&date, "UTC");
    return date.tm_wday;
}

/* The month and its day of the day of the year, as far as they are not known. */
static void take_year_day(struct reading *in, int year)
{
    struct tm *to = in->to;
    int month = 0;
    while (month < 11 && days_before(year, month + 1) <= to->tm_yday)
        month++;
    if (!in->has_month)
        to->tm_mon = month;
    if (!in->has_month_day)
        to->tm_mday = to->tm_yday - days_before(year, month) + 1;
}

static void complete(struct reading *in)
{
    struct tm *to = in->to;
    if (in->has_12_hours && in->is_pm)
        to->tm_hour += 12;
    if (in->century >= 0)
        to->tm_year = (in->century - 19) * 100 + (in->has_year_of_century ? to->tm_year % 100 : 0);
    bool dated = in->has_year || in->century >= 0 || in->has_month || in->has_month_day;
    if (dated && !in->has_week_day && in->has_year_day && !(in->has_month && in->has_month_day)) {
        take_year_day(in, to->tm_year + 1900);
        in->has_month = in->has_month_day = true;
    }
    /* What was not read is taken as it is, as glibc does. */
    if (dated && (in->has_month || (unsigned)to->tm_mon <= 11)) {
        if (!in->has_week_day)
            to->tm_wday = week_day_of(to->tm_year + 1900, to->tm_mon, to->tm_mday);
        if (!in->has_year_day)
            to->tm_yday = days_before(to->tm_year + 1900, to->tm_mon) + to->tm_mday - 1;
    }
    if ((in->has_week_from_sunday || in->has_week_from_monday) && in->has_week_day) {
        int start = in->has_week_from_sunday ? 0 : 1, year = to->tm_year + 1900;
        int first = week_day_of(year, 0, 1);
        if (!in->has_year_day)
            to->tm_yday = (7 - (first - start)) % 7 + (in->week - 1) * 7 + (to->tm_wday - start + 7) % 7;
        take_year_day(in, year);
    }
}

char *strptime(const char *restrict text, const char *restrict format, struct tm *restrict to)
{
    struct reading in = {.text = text, .to = to, .century = -1};
    if (!read_format(&in, format))
        return NULL;
    complete(&in);
    return (char *)in.text;
}
