/* printf's engine: it reads the format and puts text into a sink (sink.c), which printf_family.c chooses. The text is
 * glibc's, also where the standard leaves it open: (nil), (null), unknown conversions. */
#include "tb_format.h"

#include <stdlib.h>
#include <wchar.h>

/* What a conversion takes from the arguments. */
enum kind { NOTHING, AN_INT, A_LONG, A_POINTER, A_DOUBLE, A_LONG_DOUBLE };

union value {
    uint64_t integer; /* an int comes sign-extended */
    void *pointer;
    double real;
    long double long_real;
};

/* A va_list that can be passed on by address, which its parameter form cannot. */
struct arguments {
    va_list list;
};

/* ---- the format ---- */

/* Reads a number and moves on; -1 when it does not fit an int. */
static int read_number(const char **format)
{
    unsigned value = 0;
    bool overflow = false;
    for (; tb_is_digit(**format); ++*format) {
        if (value > (INT_MAX - 9) / 10)
            overflow = overflow || value > INT_MAX / 10 || value * 10 + (unsigned)(**format - '0') > INT_MAX;
        value = value * 10 + (unsigned)(**format - '0');
    }
    return overflow ? -1 : (int)value;
}

/* After a `*`: the position of its argument, or -1 for the next one. */
static int read_star(const char **format)
{
    const char *p = *format;
    int position = tb_is_digit(*p) ? read_number(&p) : 0;
    if (position <= 0 || *p != '$')
        return -1;
    *format = p + 1;
    return position;
}

static const char *read_flags(const char *p, struct tb_spec *spec)
{
    for (;; p++)
        switch (*p) {
        case '-':
            spec->minus = true;
            break;
        case '+':
            spec->plus = true;
            break;
        case ' ':
            spec->space = true;
            break;
        case '#':
            spec->alternate = true;
            break;
        case '0':
            spec->zero = true;
            break;
        case '\'':
            spec->group = true;
            break;
        case 'I':
            spec->digits = true;
            break;
        default:
            spec->zero = spec->zero && !spec->minus;
            return p;
        }
}

/* Reads what follows a `%`; gives the rest of the format, or NULL when a number in it does not fit an int. */
static const char *read_spec(const char *p, struct tb_spec *spec)
{
    *spec = (struct tb_spec){.precision = -1};
    if (*p < 'A') {
        if (tb_is_digit(*p) && *p != '0') {
            int number = read_number(&p);
            if (number < 0)
                return NULL;
            if (*p != '$') {
                spec->width = number;
                goto precision;
            }
            spec->position = number;
            p++;
        }
        p = read_flags(p, spec);
        if (*p == '*') {
            p++;
            spec->width_from = read_star(&p);
        } else if ((spec->width = read_number(&p)) < 0) {
            return NULL;
        }
    precision:
        if (*p == '.') {
            p++;
            if (*p == '*') {
                p++;
                spec->precision_from = read_star(&p);
            } else if ((spec->precision = read_number(&p)) < 0) {
                return NULL;
            }
        }
    } else if (*p == 'I') {
        p = read_flags(p, spec);
    }
    p = tb_read_length(p, &spec->length);
    spec->conversion = (unsigned char)*p;
    return *p ? p + 1 : p;
}

static enum kind kind_of(const struct tb_spec *spec)
{
    switch (spec->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B':
        return spec->length >= LONG ? A_LONG : AN_INT;
    case 'c':
    case 'C':
        return AN_INT;
    case 's':
    case 'S':
    case 'p':
    case 'n':
        return A_POINTER;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return spec->length == LONG_LONG ? A_LONG_DOUBLE : A_DOUBLE;
    default:
        return NOTHING;
    }
}

static void fetch(union value *value, enum kind kind, struct arguments *from)
{
    switch (kind) {
    case NOTHING:
        break;
    case AN_INT:
        value->integer = (uint64_t)va_arg(from->list, int);
        break;
    case A_LONG:
        value->integer = va_arg(from->list, uint64_t);
        break;
    case A_POINTER:
        value->pointer = va_arg(from->list, void *);
        break;
    case A_DOUBLE:
        value->real = va_arg(from->list, double);
        break;
    case A_LONG_DOUBLE:
        value->long_real = va_arg(from->list, long double);
        break;
    }
}

static void set_width(struct tb_spec *spec, int width)
{
    if (width < 0) {
        spec->minus = true;
        spec->zero = false;
        width = width == INT_MIN ? INT_MAX : -width;
    }
    spec->width = width;
}

/* ---- the conversions ---- */

INLINE void pad(struct tb_sink *sink, int byte, long n)
{
    if (n > 0)
        __tbi_sink_pad(sink, byte, (size_t)n);
}

static void put_padded(struct tb_sink *sink, const struct tb_spec *spec, const char *text, size_t length)
{
    long padding = (long)spec->width - (long)length;
    if (!spec->minus)
        pad(sink, ' ', padding);
    tb_put(sink, text, length);
    if (spec->minus)
        pad(sink, ' ', padding);
}

/* The digits of a value, written backwards from `end`. */
INLINE char *write_digits(char *end, uint64_t value, unsigned char conversion)
{
    const char *digit = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    switch (conversion) {
    case 'x':
    case 'X':
        do
            *--end = digit[value & 15];
        while (value >>= 4);
        break;
    case 'o':
        do
            *--end = (char)('0' + (value & 7));
        while (value >>= 3);
        break;
    case 'b':
    case 'B':
        do
            *--end = (char)('0' + (value & 1));
        while (value >>= 1);
        break;
    default:
        do
            *--end = (char)('0' + value % 10);
        while (value /= 10);
    }
    return end;
}

static void put_integer(struct tb_sink *sink, const struct tb_spec *spec, uint64_t magnitude, const char *prefix,
                        size_t prefix_length)
{
    char digits[64];
    char *end = digits + sizeof digits, *first = end;
    if (magnitude || spec->precision != 0)
        first = write_digits(end, magnitude, spec->conversion);
    long count = end - first;
    long zeros = spec->precision > count ? spec->precision - count : 0;
    if (spec->conversion == 'o' && spec->alternate && !zeros && (!count || *first != '0'))
        zeros = 1;
    long padding = spec->width - (long)prefix_length - zeros - count;
    if (spec->zero && spec->precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!spec->minus)
        pad(sink, ' ', padding);
    tb_put(sink, prefix, prefix_length);
    pad(sink, '0', zeros);
    tb_put(sink, first, (size_t)count);
    if (spec->minus)
        pad(sink, ' ', padding);
}

static void put_signed(struct tb_sink *sink, const struct tb_spec *spec, int64_t value)
{
    if (spec->length == CHAR)
        value = (signed char)value;
    else if (spec->length == SHORT)
        value = (short)value;
    const char *sign = value < 0 ? "-" : spec->plus ? "+" : " ";
    put_integer(sink, spec, value < 0 ? -(uint64_t)value : (uint64_t)value, sign,
                value < 0 || spec->plus || spec->space);
}

static void put_unsigned(struct tb_sink *sink, const struct tb_spec *spec, uint64_t value)
{
    if (spec->length == CHAR)
        value = (unsigned char)value;
    else if (spec->length == SHORT)
        value = (unsigned short)value;
    else if (spec->length == INT)
        value = (unsigned)value;
    char prefix[2] = {'0', (char)spec->conversion};
    bool prefixed = spec->alternate && value && spec->conversion != 'u' && spec->conversion != 'o';
    put_integer(sink, spec, value, prefix, prefixed ? 2 : 0);
}

static void put_pointer(struct tb_sink *sink, const struct tb_spec *spec, const void *pointer)
{
    if (!pointer) {
        put_padded(sink, spec, "(nil)", 5);
        return;
    }
    struct tb_spec hex = *spec;
    hex.conversion = 'x';
    char prefix[3] = {spec->plus ? '+' : ' ', '0', 'x'};
    size_t sign = spec->plus || spec->space;
    put_integer(sink, &hex, (uintptr_t)pointer, prefix + 1 - sign, 2 + sign);
}

static void put_string(struct tb_sink *sink, const struct tb_spec *spec, const char *text)
{
    size_t length;
    if (!text) {
        text = "(null)";
        length = spec->precision < 0 || spec->precision >= 6 ? 6 : 0;
    } else if (spec->precision < 0) {
        length = tb_strlen(text);
    } else {
        length = tb_strnlen(text, (size_t)spec->precision);
    }
    put_padded(sink, spec, text, length);
}

/* A wide character of the C locale is one byte; anything else fails the call. */
static bool narrow(struct tb_sink *sink, wchar_t wide, char *byte)
{
    if ((unsigned)wide < 0x80) {
        *byte = (char)wide;
        return true;
    }
    errno = EILSEQ;
    sink->failed = true;
    return false;
}

static void put_wide_string(struct tb_sink *sink, const struct tb_spec *spec, const wchar_t *text)
{
    if (!text) {
        put_string(sink, spec, NULL);
        return;
    }
    size_t max = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision, length = 0;
    char byte;
    while (length < max && text[length]) {
        if (!narrow(sink, text[length], &byte))
            return;
        length++;
    }
    if (!spec->minus)
        pad(sink, ' ', spec->width - (long)length);
    for (size_t i = 0; i < length; i++)
        tb_put_byte(sink, (char)text[i]);
    if (spec->minus)
        pad(sink, ' ', spec->width - (long)length);
}

static void put_character(struct tb_sink *sink, const struct tb_spec *spec, int value)
{
    char byte = (char)value;
    if ((spec->conversion == 'C' || spec->length >= LONG) && !narrow(sink, (wchar_t)value, &byte))
        return;
    put_padded(sink, spec, &byte, 1);
}

static void store_count(const struct tb_sink *sink, const struct tb_spec *spec, void *to)
{
    if (spec->length == CHAR)
        *(signed char *)to = (signed char)sink->total;
    else if (spec->length == SHORT)
        *(short *)to = (short)sink->total;
    else if (spec->length == INT)
        *(int *)to = (int)sink->total;
    else
        *(long *)to = (long)sink->total;
}

static void put_error(struct tb_sink *sink, const struct tb_spec *spec, int error)
{
    char buffer[TB_ERROR_SIZE];
    put_string(sink, spec, __tbi_error_message(error, buffer));
}

static void put_number(struct tb_sink *sink, unsigned value)
{
    put_integer(sink, &(struct tb_spec){.precision = -1, .conversion = 'u'}, value, NULL, 0);
}

/* An unknown conversion is printed as it was understood, its flags in glibc's order. */
static void put_unknown(struct tb_sink *sink, const struct tb_spec *spec)
{
    tb_put_byte(sink, '%');
    if (spec->alternate)
        tb_put_byte(sink, '#');
    if (spec->group)
        tb_put_byte(sink, '\'');
    if (spec->plus)
        tb_put_byte(sink, '+');
    else if (spec->space)
        tb_put_byte(sink, ' ');
    if (spec->minus)
        tb_put_byte(sink, '-');
    if (spec->zero)
        tb_put_byte(sink, '0');
    if (spec->digits)
        tb_put_byte(sink, 'I');
    if (spec->width)
        put_number(sink, (unsigned)spec->width);
    if (spec->precision >= 0) {
        tb_put_byte(sink, '.');
        put_number(sink, (unsigned)spec->precision);
    }
    tb_put_byte(sink, (char)spec->conversion);
}

static void convert(struct tb_sink *sink, const struct tb_spec *spec, const union value *value, int error)
{
    switch (spec->conversion) {
    case 'd':
    case 'i':
        put_signed(sink, spec, (int64_t)value->integer);
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'b':
    case 'B':
        put_unsigned(sink, spec, value->integer);
        break;
    case 's':
        if (spec->length >= LONG)
            put_wide_string(sink, spec, value->pointer);
        else
            put_string(sink, spec, value->pointer);
        break;
    case 'S':
        put_wide_string(sink, spec, value->pointer);
        break;
    case 'c':
    case 'C':
        put_character(sink, spec, (int)value->integer);
        break;
    case 'p':
        put_pointer(sink, spec, value->pointer);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (spec->length == LONG_LONG)
            __tbi_format_long_double(sink, spec, value->long_real);
        else
            __tbi_format_double(sink, spec, value->real);
        break;
    case 'n':
        store_count(sink, spec, value->pointer);
        break;
    case 'm':
        put_error(sink, spec, error);
        break;
    case '%':
        tb_put_byte(sink, '%');
        break;
    default:
        put_unknown(sink, spec);
    }
}

/* ---- %1$ ---- */

#define MAX_POSITIONS 64

static void fail(struct tb_sink *sink, int error)
{
    errno = error;
    sink->failed = true;
}

static void note(enum kind kinds[], int *count, int position, enum kind kind)
{
    if (kind == NOTHING)
        return;
    if (position <= 0)
        __tb_unsupported("printf with both numbered and other arguments in one format");
    if (position > MAX_POSITIONS)
        __tb_unsupported("printf with more than 64 numbered arguments");
    if (position > *count)
        *count = position;
    kinds[position - 1] = kind;
}

/* The rest of a format from the first numbered argument on: all arguments have to be known before any can be used. */
static void format_numbered(struct tb_sink *sink, const char *format, struct arguments *arguments, int error)
{
    enum kind kinds[MAX_POSITIONS] = {NOTHING};
    union value values[MAX_POSITIONS];
    struct tb_spec spec;
    int count = 0;
    for (const char *p = format; *p;) {
        if (*p++ != '%')
            continue;
        p = read_spec(p, &spec);
        if (!p || !spec.conversion) {
            fail(sink, p ? EINVAL : EOVERFLOW);
            return;
        }
        note(kinds, &count, spec.width_from, spec.width_from ? AN_INT : NOTHING);
        note(kinds, &count, spec.precision_from, spec.precision_from ? AN_INT : NOTHING);
        note(kinds, &count, spec.position, kind_of(&spec));
    }
    /* An argument that no conversion names is taken to be an int, as in glibc. */
    for (int i = 0; i < count; i++)
        fetch(&values[i], kinds[i] == NOTHING ? AN_INT : kinds[i], arguments);
    for (const char *p = format; *p && !sink->failed;) {
        if (*p != '%') {
            tb_put_byte(sink, *p++);
            continue;
        }
        p = read_spec(p + 1, &spec);
        if (spec.width_from)
            set_width(&spec, (int)values[spec.width_from - 1].integer);
        if (spec.precision_from)
            spec.precision = (int)values[spec.precision_from - 1].integer;
        convert(sink, &spec, &values[spec.position ? spec.position - 1 : 0], error);
    }
}

/* ---- the engine ---- */

/* A decimal number as it is, straight into the sink. */
static void put_plain(struct tb_sink *sink, uint64_t magnitude, bool negative)
{
    size_t length = 1 + negative;
    for (uint64_t rest = magnitude; rest >= 10; rest /= 10)
        length++;
    char digits[24];
    bool fits = length <= sink->room;
    char *start = fits ? sink->at : digits, *p = start + length;
    do
        *--p = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative)
        *start = '-';
    if (!fits) {
        __tbi_sink_put(sink, digits, length);
        return;
    }
    sink->at += length;
    sink->room -= length;
    sink->total += length;
}

INLINE void put_plain_signed(struct tb_sink *sink, long value)
{
    put_plain(sink, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

/* The conversions that nearly all programs use nearly always, and nothing else between the % and the letter: how much
 * of the format that was, or 0 if it needs the whole machinery. */
INLINE size_t put_simple(struct tb_sink *sink, const char *conversion, struct arguments *arguments)
{
    switch (conversion[0]) {
    case 'd':
        put_plain_signed(sink, va_arg(arguments->list, int));
        return 1;
    case 'u':
        put_plain(sink, va_arg(arguments->list, unsigned), false);
        return 1;
    case 'c':
        tb_put_byte(sink, (char)va_arg(arguments->list, int));
        return 1;
    case 's': {
        const char *text = va_arg(arguments->list, const char *);
        if (!text)
            text = "(null)";
        tb_put(sink, text, tb_strlen(text));
        return 1;
    }
    case 'z':
    case 'l':
        if (conversion[1] == 'u')
            put_plain(sink, va_arg(arguments->list, unsigned long), false);
        else if (conversion[1] == 'd')
            put_plain_signed(sink, va_arg(arguments->list, long));
        else
            return 0;
        return 2;
    default:
        return 0;
    }
}

void __tbi_format_into(struct tb_sink *sink, const char *format, va_list list)
{
    struct arguments arguments;
    va_copy(arguments.list, list);
    int error = errno;
    while (!sink->failed) {
        const char *text = format;
        while (*format && *format != '%')
            format++;
        tb_put(sink, text, (size_t)(format - text));
        if (!*format)
            break;
        size_t simple = put_simple(sink, format + 1, &arguments);
        if (simple) {
            format += 1 + simple;
            continue;
        }
        struct tb_spec spec;
        const char *rest = read_spec(format + 1, &spec);
        if (!rest || !spec.conversion) {
            fail(sink, rest ? EINVAL : EOVERFLOW);
            break;
        }
        if (spec.position || spec.width_from > 0 || spec.precision_from > 0) {
            /* Numbers count from the first argument, even where a format mixes both forms. */
            va_end(arguments.list);
            va_copy(arguments.list, list);
            format_numbered(sink, format, &arguments, error);
            break;
        }
        format = rest;
        if (spec.width_from)
            set_width(&spec, va_arg(arguments.list, int));
        if (spec.precision_from)
            spec.precision = va_arg(arguments.list, int);
        union value value;
        fetch(&value, kind_of(&spec), &arguments);
        convert(sink, &spec, &value, error);
    }
    va_end(arguments.list);
}

int __tbi_format(struct tb_sink *sink, const char *format, va_list list)
{
    __tbi_format_into(sink, format, list);
    if (__tbi_sink_finish(sink))
        return -1;
    if (sink->total > INT_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    return (int)sink->total;
}
