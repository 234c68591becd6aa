/* Floating point as text, exactly. A finite value is mantissa × 2^exponent, both integers, so its decimal expansion is
 * finite: the digits before the point come from dividing a big integer by 10^9 again and again, those after it from
 * multiplying a big fraction by 10^9. Only as many are made as are asked for; what is left over then decides the
 * rounding (to nearest, ties to even). No floating-point arithmetic takes part. */
#include "tb_internal.h"

#define CHUNK 1000000000u
#define CHUNK_DIGITS 9
/* The text of a number with more is as good as too long for an int; up to here no sum overflows one. */
#define MAX_PRECISION (INT_MAX - 64)

enum class { FINITE, INFINITE, NOT_A_NUMBER };

struct number {
    enum class class;
    bool negative;
    uint64_t mantissa;
    int exponent;
};

/* 0.d1 d2 d3 … × 10^point. Digits beyond `count` are zeros. The byte before `first` is free. */
struct decimal {
    char *first;
    int count;
    int point;
    bool carried; /* rounding made one digit more: 9.99 became 10.00 */
};

/* How many digits to keep: all before the point and `after` behind it, or `significant` in all if that is not 0. */
struct wish {
    int after;
    int significant;
};

/* ---- digits ---- */

static void write_chunk(char *to, uint32_t chunk)
{
    for (int i = CHUNK_DIGITS - 1; i >= 0; i--) {
        to[i] = (char)('0' + chunk % 10);
        chunk /= 10;
    }
}

/* The digits of mantissa << shift, right-aligned before `end`, without leading zeros: the first of them. */
static char *write_big(char *end, uint64_t mantissa, int shift, uint32_t *limbs)
{
    int n = shift / 32 + 3, bits = shift % 32;
    for (int i = 0; i < n - 3; i++)
        limbs[i] = 0;
    uint64_t low = mantissa << bits;
    limbs[n - 3] = (uint32_t)low;
    limbs[n - 2] = (uint32_t)(low >> 32);
    limbs[n - 1] = bits ? (uint32_t)(mantissa >> (64 - bits)) : 0;
    while (n && limbs[n - 1] == 0)
        n--;
    while (n) {
        uint64_t rest = 0;
        for (int i = n - 1; i >= 0; i--) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / CHUNK);
            rest %= CHUNK;
        }
        end -= CHUNK_DIGITS;
        write_chunk(end, (uint32_t)rest);
        if (limbs[n - 1] == 0)
            n--;
    }
    while (*end == '0')
        end++;
    return end;
}

static char *write_small(char *end, uint64_t value)
{
    for (; value; value /= 10)
        *--end = (char)('0' + value % 10);
    return end;
}

/* A fraction in [0, 1): limbs[low..high), the most significant first; those before `low` are zeros not yet written. */
struct fraction {
    uint32_t *limbs;
    int low, high;
};

/* mantissa / 2^bits, without its integer part. */
static struct fraction make_fraction(uint32_t *limbs, uint64_t mantissa, int bits)
{
    if (bits < 64)
        mantissa &= ((uint64_t)1 << bits) - 1;
    int n = (bits + 31) / 32, shift = 32 * n - bits;
    uint64_t low = mantissa << shift;
    limbs[n - 1] = (uint32_t)low;
    if (n > 1)
        limbs[n - 2] = (uint32_t)(low >> 32);
    if (n > 2)
        limbs[n - 3] = shift ? (uint32_t)(mantissa >> (64 - shift)) : 0;
    struct fraction fraction = {limbs, n > 3 ? n - 3 : 0, n};
    while (fraction.high > fraction.low && limbs[fraction.high - 1] == 0)
        fraction.high--;
    return fraction;
}

/* The next nine digits. */
static uint32_t next_chunk(struct fraction *fraction)
{
    uint32_t *limbs = fraction->limbs;
    uint64_t carry = 0;
    for (int i = fraction->high - 1; i >= fraction->low; i--) {
        carry += (uint64_t)limbs[i] * CHUNK;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (fraction->low > 0) {
        limbs[--fraction->low] = (uint32_t)carry;
        carry = 0;
    }
    while (fraction->high > fraction->low && limbs[fraction->high - 1] == 0)
        fraction->high--;
    return (uint32_t)carry;
}

/* Cuts to `keep` digits. `sticky`: something other than zeros follows the digits that there are. */
static void round_digits(struct decimal *decimal, int keep, bool sticky)
{
    if (decimal->count <= keep)
        return;
    char *cut = decimal->first + keep, *end = decimal->first + decimal->count;
    decimal->count = keep;
    if (*cut < '5')
        return;
    if (*cut == '5' && !sticky) {
        char *p = cut + 1;
        while (p < end && *p == '0')
            p++;
        bool odd = keep && (cut[-1] & 1);
        if (p == end && !odd)
            return;
    }
    char *p = cut;
    while (p > decimal->first && p[-1] == '9')
        *--p = '0';
    if (p > decimal->first) {
        p[-1]++;
        return;
    }
    *--decimal->first = '1';
    decimal->carried = true;
    decimal->point++;
    decimal->count++;
}

/* Makes the digits in `buffer`, whose first `integer_size` bytes are for those before the point. */
static struct decimal expand(const struct number *number, struct wish wish, char *buffer, int integer_size,
                             uint32_t *limbs)
{
    char *point = buffer + integer_size, *to = point;
    struct decimal decimal = {.carried = false};
    uint64_t mantissa = number->mantissa;
    int exponent = number->exponent;
    if (exponent > 0)
        decimal.first = write_big(point, mantissa, exponent, limbs);
    else
        decimal.first = write_small(point, exponent > -64 ? mantissa >> -exponent : 0);
    decimal.point = (int)(point - decimal.first);
    struct fraction fraction = {limbs, 0, 0};
    if (exponent < 0)
        fraction = make_fraction(limbs, mantissa, -exponent);
    while (fraction.low < fraction.high) {
        int keep = wish.significant ? wish.significant : decimal.point + wish.after;
        if (to - decimal.first > keep)
            break;
        uint32_t chunk = next_chunk(&fraction);
        if (wish.significant && to == decimal.first && chunk == 0) {
            decimal.point -= CHUNK_DIGITS;
            continue;
        }
        write_chunk(to, chunk);
        bool leading = wish.significant && to == decimal.first;
        to += CHUNK_DIGITS;
        for (; leading && *decimal.first == '0'; decimal.first++)
            decimal.point--;
    }
    decimal.count = (int)(to - decimal.first);
    int keep = wish.significant ? wish.significant : decimal.point + wish.after;
    round_digits(&decimal, keep, fraction.low < fraction.high);
    return decimal;
}

/* ---- layout ---- */

INLINE void pad(struct tb_sink *sink, int byte, long n)
{
    if (n > 0)
        __tbi_sink_pad(sink, byte, (size_t)n);
}

/* The sign or the space that a value is printed with, or 0. */
INLINE char sign_of(const struct tb_spec *spec, bool negative)
{
    return negative ? '-' : spec->plus ? '+' : spec->space ? ' ' : 0;
}

/* The padding before a body of `length` bytes, and its prefix. The padding after it is returned. */
static long open_field(struct tb_sink *sink, const struct tb_spec *spec, const char *prefix, size_t prefix_length,
                       long length)
{
    long padding = spec->width - length - (long)prefix_length;
    if (!spec->minus && !spec->zero)
        pad(sink, ' ', padding);
    tb_put(sink, prefix, prefix_length);
    if (spec->zero)
        pad(sink, '0', padding);
    return spec->minus ? padding : 0;
}

/* `places` digits from the one with index `from` on: indices before the first and after the last are zeros. */
static void put_digits(struct tb_sink *sink, const struct decimal *decimal, int from, int places)
{
    if (from < 0) {
        int zeros = -from < places ? -from : places;
        pad(sink, '0', zeros);
        places -= zeros;
        from = 0;
    }
    int known = decimal->count - from;
    if (known > places)
        known = places;
    if (known > 0) {
        tb_put(sink, decimal->first + from, (size_t)known);
        places -= known;
    }
    pad(sink, '0', places);
}

static void put_fixed(struct tb_sink *sink, const struct tb_spec *spec, const struct decimal *decimal, int places,
                      char sign)
{
    int before = decimal->point > 0 ? decimal->point : 1;
    bool dot = places || spec->alternate;
    long after = open_field(sink, spec, &sign, sign != 0, (long)before + dot + places);
    put_digits(sink, decimal, decimal->point > 0 ? 0 : -1, before);
    if (dot)
        tb_put_byte(sink, '.');
    put_digits(sink, decimal, decimal->point, places);
    pad(sink, ' ', after);
}

/* e+05, p-1022: at least `least` digits. Returns its length. */
static int write_exponent(char to[8], char letter, int exponent, int least)
{
    char digits[6];
    int n = 0, length = 0;
    unsigned magnitude = exponent < 0 ? -(unsigned)exponent : (unsigned)exponent;
    do
        digits[n++] = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) || n < least);
    to[length++] = letter;
    to[length++] = exponent < 0 ? '-' : '+';
    while (n)
        to[length++] = digits[--n];
    return length;
}

static void put_scientific(struct tb_sink *sink, const struct tb_spec *spec, const struct decimal *decimal, int places,
                           char sign)
{
    char exponent[8];
    char letter = spec->conversion == 'E' || spec->conversion == 'G' ? 'E' : 'e';
    int exponent_length = write_exponent(exponent, letter, decimal->count ? decimal->point - 1 : 0, 2);
    bool dot = places || spec->alternate;
    long after = open_field(sink, spec, &sign, sign != 0, 1L + dot + places + exponent_length);
    put_digits(sink, decimal, 0, 1);
    if (dot)
        tb_put_byte(sink, '.');
    put_digits(sink, decimal, 1, places);
    tb_put(sink, exponent, (size_t)exponent_length);
    pad(sink, ' ', after);
}

/* %g: the shorter of the two styles, without trailing zeros unless `#` asks for them. */
static void put_general(struct tb_sink *sink, const struct tb_spec *spec, struct decimal *decimal, int significant,
                        char sign)
{
    int exponent = decimal->count ? decimal->point - 1 : 0;
    bool scientific = exponent < -4 || exponent >= significant;
    int places = scientific ? significant - 1 : significant - 1 - exponent;
    if (!spec->alternate) {
        while (decimal->count && decimal->first[decimal->count - 1] == '0')
            decimal->count--;
        int used = decimal->count - (scientific ? 1 : exponent + 1);
        places = used > 0 ? used : 0;
    } else if (decimal->carried && exponent == significant) {
        /* 999999.5 is 1.e+06: glibc forgets the zeros that `#` asks for when rounding changes the style. */
        places = 0;
    }
    if (!decimal->count)
        decimal->point = 1;
    if (scientific)
        put_scientific(sink, spec, decimal, places, sign);
    else
        put_fixed(sink, spec, decimal, places, sign);
}

static void put_decimal(struct tb_sink *sink, const struct tb_spec *spec, const struct number *number, char sign)
{
    int precision = spec->precision < 0 ? 6 : spec->precision;
    char conversion = (char)(spec->conversion | 32);
    if (precision > MAX_PRECISION) {
        precision = MAX_PRECISION;
        if (conversion != 'g' || spec->alternate) {
            errno = EOVERFLOW;
            sink->failed = true;
            return;
        }
    }
    /* The exact expansion has no more digits than this on either side of the point; 78/256 is a bit over log10(2). */
    int bits = number->exponent + 64, exact = number->exponent < 0 ? -number->exponent : 0;
    struct wish wish = {0, 0};
    if (conversion == 'f')
        wish.after = precision < exact ? precision : exact;
    else if (conversion == 'e')
        wish.significant = precision + 1;
    else
        wish.significant = precision ? precision : 1;

    int before = bits > 64 ? bits * 78 / 256 + CHUNK_DIGITS + 2 : 21;
    int wanted = wish.significant ? wish.significant : wish.after;
    int after = (wanted < exact ? wanted : exact) + 2 * CHUNK_DIGITS;
    char buffer[before + after];
    uint32_t limbs[number->exponent > 0 ? number->exponent / 32 + 3 : exact / 32 + 1];
    struct decimal decimal = expand(number, wish, buffer, before, limbs);
    if (conversion == 'f')
        put_fixed(sink, spec, &decimal, precision, sign);
    else if (conversion == 'e')
        put_scientific(sink, spec, &decimal, precision, sign);
    else
        put_general(sink, spec, &decimal, wish.significant, sign);
}

/* ---- %a ---- */

/* The mantissa as a leading hexadecimal digit and `digits` more behind the point. */
struct hexadecimal {
    uint64_t mantissa;
    int digits;
    int exponent;
};

static void round_hexadecimal(struct hexadecimal *hex, int places)
{
    int drop = 4 * (hex->digits - places);
    uint64_t unit = (uint64_t)1 << drop, rest = hex->mantissa & (unit - 1);
    hex->mantissa -= rest;
    if (rest < unit / 2 || (rest == unit / 2 && !(hex->mantissa & unit)))
        return;
    hex->mantissa += unit;
    /* A long double may be carried out of its leading digit. */
    if (hex->mantissa == 0) {
        hex->mantissa = (uint64_t)1 << 60;
        hex->exponent += 4;
    }
}

static void put_hexadecimal(struct tb_sink *sink, const struct tb_spec *spec, struct hexadecimal hex, char sign)
{
    bool upper = spec->conversion == 'A';
    const char *digit_of = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (spec->precision >= 0 && spec->precision < hex.digits)
        round_hexadecimal(&hex, spec->precision);
    char prefix[3] = {sign, '0', upper ? 'X' : 'x'}, body[20], exponent[8];
    int known = 0;
    for (int shift = 4 * hex.digits; shift >= 0; shift -= 4)
        body[known++] = digit_of[hex.mantissa >> shift & 15];
    while (known > 1 && body[known - 1] == '0')
        known--;
    int places = spec->precision < 0 ? known - 1 : spec->precision;
    int exponent_length = write_exponent(exponent, upper ? 'P' : 'p', hex.exponent, 1);
    bool dot = places || spec->alternate;
    struct decimal digits = {body, known, 1, false};
    long after = open_field(sink, spec, prefix + (sign == 0), 2 + (sign != 0), 1L + dot + places + exponent_length);
    tb_put_byte(sink, body[0]);
    if (dot)
        tb_put_byte(sink, '.');
    put_digits(sink, &digits, 1, places);
    tb_put(sink, exponent, (size_t)exponent_length);
    pad(sink, ' ', after);
}

/* ---- the two formats ---- */

static void put_not_finite(struct tb_sink *sink, const struct tb_spec *spec, enum class class, char sign)
{
    struct tb_spec plain = *spec;
    plain.zero = false;
    bool upper = spec->conversion < 'a';
    const char *text = class == INFINITE ? (upper ? "INF" : "inf") : (upper ? "NAN" : "nan");
    long after = open_field(sink, &plain, &sign, sign != 0, 3);
    tb_put(sink, text, 3);
    pad(sink, ' ', after);
}

/* Trailing zero bits only make the big numbers longer. */
static void put_number(struct tb_sink *sink, const struct tb_spec *spec, struct number number, struct hexadecimal hex)
{
    char sign = sign_of(spec, number.negative);
    if (number.class != FINITE) {
        put_not_finite(sink, spec, number.class, sign);
        return;
    }
    if ((spec->conversion | 32) == 'a') {
        put_hexadecimal(sink, spec, hex, sign);
        return;
    }
    if (number.mantissa == 0) {
        number.exponent = 0;
    } else {
        int zeros = __builtin_ctzll(number.mantissa);
        if (number.exponent < 0 && zeros > -number.exponent)
            zeros = -number.exponent;
        number.mantissa >>= zeros;
        number.exponent += zeros;
    }
    put_decimal(sink, spec, &number, sign);
}

void __tbi_format_double(struct tb_sink *sink, const struct tb_spec *spec, double value)
{
    union {
        double value;
        uint64_t bits;
    } view = {value};
    uint64_t fraction = view.bits & (((uint64_t)1 << 52) - 1);
    int exponent = view.bits >> 52 & 0x7ff;
    enum class class = exponent != 0x7ff ? FINITE : fraction ? NOT_A_NUMBER : INFINITE;
    uint64_t mantissa = exponent ? fraction | (uint64_t)1 << 52 : fraction;
    if (!exponent)
        exponent = 1;
    struct hexadecimal hex = {mantissa, 13, mantissa ? exponent - 1023 : 0};
    put_number(sink, spec, (struct number){class, view.bits >> 63, mantissa, exponent - 1075}, hex);
}

void __tbi_format_long_double(struct tb_sink *sink, const struct tb_spec *spec, long double value)
{
    union {
        long double value;
        struct {
            uint64_t mantissa;
            uint16_t exponent;
        } bits;
    } view = {value};
    uint64_t mantissa = view.bits.mantissa;
    int exponent = view.bits.exponent & 0x7fff;
    enum class class = exponent != 0x7fff ? FINITE : mantissa << 1 ? NOT_A_NUMBER : INFINITE;
    if (!exponent)
        exponent = 1;
    struct hexadecimal hex = {mantissa, 15, mantissa ? exponent - 16386 : 0};
    put_number(sink, spec, (struct number){class, view.bits.exponent >> 15, mantissa, exponent - 16446}, hex);
}
