/* strftime in the C locale: the conversions of C17 and POSIX, and glibc's flags (_ - 0 ^ #), widths and %k %l %P %s. */
#include "tb_internal.h"

#include <string.h>
#include <time.h>
#include <wchar.h>

static const char day_names[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char month_names[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};

struct output {
    char *to;
    size_t room; /* with the final zero */
    size_t length;
    bool full;
};

/* One conversion. */
struct spec {
    char pad; /* _ - 0, or 0 if none is given */
    bool upper, swap;
    int width; /* -1: none */
    char modifier;
    char conversion;
};

static void put(struct output *out, const char *text, size_t n, char how)
{
    if (out->full || n >= out->room - out->length) {
        out->full = true;
        return;
    }
    char *to = out->to + out->length;
    out->length += n;
    if (!how) {
        tb_copy(to, text, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int c = (unsigned char)text[i];
        to[i] = (char)(how == 'u' && (unsigned)c - 'a' < 26 ? c - 32 : how == 'l' ? tb_lower(c) : c);
    }
}

static void put_repeated(struct output *out, char byte, long n)
{
    for (; n > 0 && !out->full; n--)
        put(out, &byte, 1, 0);
}

/* A text, padded on the left to the width. `how`: u and l make capital and small letters. */
static void put_text(struct output *out, const struct spec *spec, const char *text, size_t n, char how)
{
    put_repeated(out, spec->pad == '0' ? '0' : ' ', spec->width - (long)n);
    put(out, text, n, how);
}

static void put_name(struct output *out, const struct spec *spec, const char *name, size_t n)
{
    put_text(out, spec, name, n, spec->upper || spec->swap ? 'u' : 0);
}

/* A number with at least `digits` digits. */
static void put_number(struct output *out, const struct spec *spec, int digits, int64_t value)
{
    char text[24];
    char *end = text + sizeof text, *p = end;
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--p = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    struct spec plain = *spec;
    long wanted = spec->width > digits ? spec->width : digits;
    if (spec->pad == '_' || spec->pad == '-') {
        if (value < 0)
            *--p = '-';
        plain.width = spec->pad == '_' ? (int)wanted : spec->width;
    } else {
        if (value < 0)
            put(out, "-", 1, 0);
        put_repeated(out, '0', wanted - (value < 0) - (end - p));
        plain.width = -1;
    }
    plain.pad = ' ';
    put_text(out, &plain, p, (size_t)(end - p), 0);
}

static void put_blank_padded(struct output *out, const struct spec *spec, int64_t value)
{
    struct spec blank = *spec;
    if (blank.pad == 0)
        blank.pad = '_';
    put_number(out, &blank, 2, value);
}

/* ---- weeks ---- */

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* The week of ISO 8601 and the year that it belongs to. Week 1 is the one with the year's first Thursday. */
static int iso_week(const struct tm *time, int64_t *year)
{
    *year = 1900 + (int64_t)time->tm_year;
    int monday = (time->tm_wday + 6) % 7, week = (time->tm_yday - monday + 10) / 7;
    if (week < 1) {
        --*year;
        int days = is_leap(*year) ? 366 : 365;
        return (time->tm_yday + days - monday + 10) / 7;
    }
    int days = is_leap(*year) ? 366 : 365;
    if (week == 53 && time->tm_yday - monday + 3 >= days) {
        ++*year;
        return 1;
    }
    return week;
}

/* ---- conversions ---- */

static void format_into(struct output *out, const char *format, const struct tm *time, bool upper);

/* A conversion that stands for others: its text is made first, for the sake of the width. */
static void put_composed(struct output *out, const struct spec *spec, const char *format, const struct tm *time)
{
    char text[128];
    struct output inner = {text, sizeof text, 0, false};
    format_into(&inner, format, time, spec->upper);
    put_text(out, spec, text, inner.length, 0);
}

/* The one number whose width is that of a text. */
static void put_seconds(struct output *out, const struct spec *spec, struct tm time)
{
    char text[24];
    struct output inner = {text, sizeof text, 0, false};
    put_number(&inner, &(struct spec){.width = -1}, 1, __tbi_compose(&time, "UTC"));
    put_text(out, spec, text, inner.length, 0);
}

static void put_offset(struct output *out, const struct spec *spec, const struct tm *time)
{
    if (time->tm_isdst < 0)
        return;
    long minutes = time->tm_gmtoff / 60;
    bool negative = time->tm_gmtoff < 0;
    if (negative)
        minutes = -minutes;
    struct spec digits = *spec;
    put_text(out, spec, negative ? "-" : "+", 1, 0);
    put_number(out, &digits, 4, minutes / 60 * 100 + minutes % 60);
}

static int hour12(const struct tm *time)
{
    int hour = time->tm_hour;
    return hour > 12 ? hour - 12 : hour == 0 ? 12 : hour;
}

/* True if the modifier may stand before the conversion. glibc lets more through than the standards. */
static bool fits(const struct spec *spec)
{
    const char *refused = spec->modifier == 'E' ? "aAbBdDeFgGhHIjklmMSUVwW" : spec->modifier == 'O' ? "aAcDFxXY" : "";
    for (; *refused; refused++)
        if (*refused == spec->conversion)
            return false;
    return true;
}

/* False if there is no such conversion. */
static bool convert(struct output *out, const struct spec *spec, const struct tm *time)
{
    int64_t year = 1900 + (int64_t)time->tm_year;
    const char *name;
    int week;
    if (!fits(spec))
        return false;
    switch (spec->conversion) {
    case 'a':
    case 'A':
        name = (unsigned)time->tm_wday < 7 ? day_names[time->tm_wday] : "?";
        put_name(out, spec, name, tb_strnlen(name, spec->conversion == 'a' ? 3 : 10));
        break;
    case 'b':
    case 'h':
    case 'B':
        name = (unsigned)time->tm_mon < 12 ? month_names[time->tm_mon] : "?";
        put_name(out, spec, name, tb_strnlen(name, spec->conversion != 'B' ? 3 : 10));
        break;
    case 'c':
        put_composed(out, spec, "%a %b %e %H:%M:%S %Y", time);
        break;
    case 'C':
        put_number(out, spec, 1, year / 100 - (year % 100 < 0));
        break;
    case 'd':
        put_number(out, spec, 2, time->tm_mday);
        break;
    case 'D':
    case 'x':
        put_composed(out, spec, "%m/%d/%y", time);
        break;
    case 'e':
        put_blank_padded(out, spec, time->tm_mday);
        break;
    case 'F':
        put_composed(out, spec, "%Y-%m-%d", time);
        break;
    case 'g':
    case 'G':
        iso_week(time, &year);
        if (spec->conversion == 'G')
            put_number(out, spec, 1, year);
        else
            put_number(out, spec, 2, (year % 100 + 100) % 100);
        break;
    case 'H':
        put_number(out, spec, 2, time->tm_hour);
        break;
    case 'I':
        put_number(out, spec, 2, hour12(time));
        break;
    case 'j':
        put_number(out, spec, 3, (int64_t)time->tm_yday + 1);
        break;
    case 'k':
        put_blank_padded(out, spec, time->tm_hour);
        break;
    case 'l':
        put_blank_padded(out, spec, hour12(time));
        break;
    case 'm':
        put_number(out, spec, 2, (int64_t)time->tm_mon + 1);
        break;
    case 'M':
        put_number(out, spec, 2, time->tm_min);
        break;
    case 'n':
        put_text(out, spec, "\n", 1, 0);
        break;
    case 'p':
        put_text(out, spec, time->tm_hour > 11 ? "PM" : "AM", 2, spec->swap ? 'l' : 0);
        break;
    case 'P':
        put_text(out, spec, time->tm_hour > 11 ? "pm" : "am", 2, spec->upper ? 'l' : 0);
        break;
    case 'r':
        put_composed(out, spec, "%I:%M:%S %p", time);
        break;
    case 'R':
        put_composed(out, spec, "%H:%M", time);
        break;
    case 's':
        put_seconds(out, spec, *time);
        break;
    case 'S':
        put_number(out, spec, 2, time->tm_sec);
        break;
    case 't':
        put_text(out, spec, "\t", 1, 0);
        break;
    case 'T':
    case 'X':
        put_composed(out, spec, "%H:%M:%S", time);
        break;
    case 'u':
        put_number(out, spec, 1, (time->tm_wday + 6) % 7 + 1);
        break;
    case 'U':
        put_number(out, spec, 2, (time->tm_yday - time->tm_wday + 7) / 7);
        break;
    case 'V':
        week = iso_week(time, &year);
        put_number(out, spec, 2, week);
        break;
    case 'w':
        put_number(out, spec, 1, time->tm_wday);
        break;
    case 'W':
        put_number(out, spec, 2, (time->tm_yday - (time->tm_wday + 6) % 7 + 7) / 7);
        break;
    case 'y':
        put_number(out, spec, 2, (year % 100 + 100) % 100);
        break;
    case 'Y':
        put_number(out, spec, 1, year);
        break;
    case 'z':
        put_offset(out, spec, time);
        break;
    case 'Z':
        name = time->tm_zone ? time->tm_zone : "";
        put_text(out, spec, name, tb_strlen(name), spec->swap ? 'l' : spec->upper ? 'u' : 0);
        break;
    case '%':
        put_text(out, spec, "%", 1, 0);
        break;
    default:
        return false;
    }
    return true;
}

static const char *read_spec(const char *p, struct spec *spec, bool upper)
{
    *spec = (struct spec){.upper = upper, .width = -1};
    for (;; p++)
        if (*p == '_' || *p == '-' || *p == '0')
            spec->pad = *p;
        else if (*p == '^')
            spec->upper = true;
        else if (*p == '#')
            spec->swap = true;
        else
            break;
    if (tb_is_digit(*p))
        for (spec->width = 0; tb_is_digit(*p); p++)
            spec->width = spec->width > (INT_MAX - 9) / 10 ? INT_MAX : spec->width * 10 + (*p - '0');
    if (*p == 'E' || *p == 'O')
        spec->modifier = *p++;
    spec->conversion = *p;
    return *p ? p + 1 : p;
}

static void format_into(struct output *out, const char *format, const struct tm *time, bool upper)
{
    while (*format && !out->full) {
        if (*format != '%') {
            put(out, format++, 1, 0);
            continue;
        }
        struct spec spec;
        const char *rest = read_spec(format + 1, &spec, upper);
        if (!convert(out, &spec, time)) /* as it is */
            put_text(out, &spec, format, (size_t)(rest - format), spec.upper ? 'u' : 0);
        format = rest;
    }
}

size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict time)
{
    struct output out = {to, size, 0, size == 0};
    format_into(&out, format, time, false);
    if (out.full)
        return 0;
    to[out.length] = 0;
    return out.length;
}

size_t strftime_l(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict time,
                  locale_t locale)
{
    (void)locale;
    struct output out = {to, size, 0, size == 0};
    format_into(&out, format, time, false);
    if (out.full)
        return 0;
    to[out.length] = 0;
    return out.length;
}
