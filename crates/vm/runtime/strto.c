/* Integers from text. The system's headers may rename strtol and its like to __isoc23_…, which know 0b as well: this
 * file includes none of them, so that each name here is the symbol that it says. */
#include "tb_internal.h"

struct tb_integer __tbi_parse_integer(const char *text, int base, uint64_t limit, bool is_signed, bool binary)
{
    const char *p = text;
    while (tb_is_space(*p))
        p++;
    bool negative = *p == '-';
    if (negative || *p == '+')
        p++;
    /* A prefix counts only if a digit follows; else the number is its zero. */
    if (p[0] == '0' && (base == 0 || base == 16 || (base == 2 && binary))) {
        if ((base == 0 || base == 16) && (p[1] | 32) == 'x' && tb_digit_value(p[2]) < 16) {
            p += 2;
            base = 16;
        } else if (binary && (base == 0 || base == 2) && (p[1] | 32) == 'b' && tb_digit_value(p[2]) < 2) {
            p += 2;
            base = 2;
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0)
        base = 10;

    if (is_signed && negative)
        limit++;
    uint64_t cutoff = limit / (unsigned)base, last = limit % (unsigned)base, value = 0;
    bool overflow = false;
    const char *digits = p;
    for (unsigned digit; (digit = tb_digit_value(*p)) < (unsigned)base; p++) {
        if (value > cutoff || (value == cutoff && digit > last))
            overflow = true;
        value = value * (unsigned)base + digit;
    }
    if (p == digits)
        return (struct tb_integer){0, text};
    if (overflow) {
        errno = ERANGE;
        value = limit;
        negative = negative && is_signed;
    }
    return (struct tb_integer){negative ? -value : value, p};
}

INLINE uint64_t parse(const char *text, char **end, int base, uint64_t limit, bool is_signed, bool binary)
{
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    struct tb_integer number = __tbi_parse_integer(text, base, limit, is_signed, binary);
    if (end)
        *end = (char *)number.end;
    return number.value;
}

#define SIGNED(type, name, maximum, binary)                                                                            \
    type name(const char *restrict text, char **restrict end, int base)                                                \
    {                                                                                                                  \
        return (type)parse(text, end, base, maximum, true, binary);                                                    \
    }
#define UNSIGNED(type, name, maximum, binary)                                                                          \
    type name(const char *restrict text, char **restrict end, int base)                                                \
    {                                                                                                                  \
        return (type)parse(text, end, base, maximum, false, binary);                                                   \
    }

SIGNED(long, strtol, LONG_MAX, false)
SIGNED(long long, strtoll, LLONG_MAX, false)
SIGNED(long long, strtoq, LLONG_MAX, false)
SIGNED(intmax_t, strtoimax, INTMAX_MAX, false)
UNSIGNED(unsigned long, strtoul, ULONG_MAX, false)
UNSIGNED(unsigned long long, strtoull, ULLONG_MAX, false)
UNSIGNED(unsigned long long, strtouq, ULLONG_MAX, false)
UNSIGNED(uintmax_t, strtoumax, UINTMAX_MAX, false)

SIGNED(long, __isoc23_strtol, LONG_MAX, true)
SIGNED(long long, __isoc23_strtoll, LLONG_MAX, true)
SIGNED(intmax_t, __isoc23_strtoimax, INTMAX_MAX, true)
UNSIGNED(unsigned long, __isoc23_strtoul, ULONG_MAX, true)
UNSIGNED(unsigned long long, __isoc23_strtoull, ULLONG_MAX, true)
UNSIGNED(uintmax_t, __isoc23_strtoumax, UINTMAX_MAX, true)

/* What older headers' inline functions call; the C locale groups no digits. */
long __strtol_internal(const char *restrict text, char **restrict end, int base, int group)
{
    (void)group;
    return (long)parse(text, end, base, LONG_MAX, true, false);
}

unsigned long __strtoul_internal(const char *restrict text, char **restrict end, int base, int group)
{
    (void)group;
    return parse(text, end, base, ULONG_MAX, false, false);
}

/* glibc's atoi is a strtol whose result is cut. */
int atoi(const char *text) { return (int)__tbi_parse_integer(text, 10, LONG_MAX, true, false).value; }

long atol(const char *text) { return (long)__tbi_parse_integer(text, 10, LONG_MAX, true, false).value; }

long long atoll(const char *text) { return (long long)__tbi_parse_integer(text, 10, LLONG_MAX, true, false).value; }
