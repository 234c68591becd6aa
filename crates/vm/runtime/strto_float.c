/* Floating point from text, correctly rounded (to nearest, ties to even), for all three formats.
 *
 * Decimal text is digits × 10^e. As many digits as can matter are read into a big integer D (a longer text ends in a
 * digit 1, which stands for "and a bit more"). The value is then D × 5^e × 2^e, or D / 5^-e / 2^-e: a product or a
 * quotient of integers of which the first 64 bits, the bit after them and "anything else" are found exactly. Short
 * numbers, which are nearly all, need one exact floating-point operation instead. */
#include "tb_internal.h"

/* A format: value bits, exponents of the least and the greatest power of two that its normal numbers start with, and
 * decimal bounds: powers of ten that certainly overflow or vanish, and digits that can matter. */
struct format {
    int bits;
    int least, greatest;
    int overflow, underflow;
    int digits;
    int limbs; /* that D, the power of five and the long division need */
};

static const struct format single_format = {24, -126, 127, 40, -47, 120, 32};
static const struct format double_format = {53, -1022, 1023, 311, -326, 780, 96};
static const struct format extended_format = {64, -16382, 16383, 4935, -4953, 11530, 1216};

/* The text of a number, taken apart. */
struct literal {
    enum { NONE, DECIMAL, HEXADECIMAL, INFINITE, NOT_A_NUMBER } kind;
    bool negative;
    const char *first; /* the first significant digit */
    int64_t count;     /* significant digits up to the last that is not 0 */
    int64_t exponent;  /* of ten, or of two: that of the last of them */
    uint64_t mantissa; /* the digits, if they fit */
    uint64_t tail;     /* hexadecimal: the digits that follow the mantissa, from its top bit on */
    bool more;         /* and whether anything follows those */
    const char *end;
};

/* The top of an exact value: 1.b1 b2 … × 2^exponent in 64 bits, the next bit, and whether anything follows. */
struct exact {
    uint64_t mantissa; /* the top bit is set */
    bool half, sticky;
    int64_t exponent;
};

/* A rounded value in a format's own terms: mantissa has `bits` bits, or fewer with the exponent of a subnormal. */
struct rounded {
    uint64_t mantissa;
    int exponent; /* biased; 0 for zero and subnormals, all ones for infinity and NaN */
};

/* ---- reading the text ---- */

static bool starts_with(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if ((*text | 32) != *word)
            return false;
    return true;
}

/* The exponent after an `e` or a `p`, if a number follows; it stops counting where nothing can come of it. */
static const char *read_exponent(const char *p, int64_t *exponent)
{
    const char *q = p + 1;
    bool negative = *q == '-';
    if (negative || *q == '+')
        q++;
    if (!tb_is_digit(*q))
        return p;
    int64_t value = 0;
    for (; tb_is_digit(*q); q++)
        if (value < INT64_MAX / 100)
            value = value * 10 + (*q - '0');
    *exponent += negative ? -value : value;
    return q;
}

static void read_decimal(const char *p, struct literal *literal)
{
    int64_t seen = 0, after_point = 0;
    bool point = false, any = false;
    literal->first = NULL;
    for (;; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!tb_is_digit(*p))
            break;
        any = true;
        after_point += point;
        if (*p == '0') {
            seen += literal->first != NULL;
            continue;
        }
        if (!literal->first)
            literal->first = p;
        int64_t zeros = seen - literal->count;
        seen++;
        if (seen <= 19) {
            for (; zeros; zeros--)
                literal->mantissa *= 10;
            literal->mantissa = literal->mantissa * 10 + (unsigned)(*p - '0');
        }
        literal->count = seen;
    }
    if (!any)
        return;
    literal->kind = DECIMAL;
    literal->exponent = seen - literal->count - after_point;
    literal->end = (*p | 32) == 'e' ? read_exponent(p, &literal->exponent) : p;
}

static void read_hexadecimal(const char *p, struct literal *literal)
{
    bool point = false, any = false;
    int tail_shift = 64;
    for (;; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        unsigned digit = tb_digit_value(*p);
        if (digit >= 16)
            break;
        any = true;
        literal->exponent -= 4 * point;
        if (literal->mantissa >> 60 == 0) {
            literal->mantissa = literal->mantissa << 4 | digit;
            continue;
        }
        literal->exponent += 4;
        if (tail_shift > 0)
            literal->tail |= (uint64_t)digit << (tail_shift -= 4);
        else
            literal->more = literal->more || digit;
    }
    if (!any)
        return;
    literal->kind = HEXADECIMAL;
    literal->end = (*p | 32) == 'p' ? read_exponent(p, &literal->exponent) : p;
}

/* nan, or nan(123): the number in the parentheses is put into the mantissa. */
static const char *read_payload(const char *p, uint64_t *payload)
{
    if (*p != '(')
        return p;
    const char *q = p + 1;
    while (tb_is_digit(*q) || tb_is_alpha(*q) || *q == '_')
        q++;
    if (*q != ')')
        return p;
    struct tb_integer number = __tbi_parse_integer(p + 1, 0, UINT64_MAX, false, false);
    if (number.end == q)
        *payload = number.value;
    return q + 1;
}

static struct literal read_literal(const char *text)
{
    struct literal literal = {.kind = NONE, .end = text};
    const char *p = text;
    while (tb_is_space(*p))
        p++;
    literal.negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (tb_is_alpha(*p)) {
        if (starts_with(p, "inf")) {
            literal.kind = INFINITE;
            literal.end = p + (starts_with(p + 3, "inity") ? 8 : 3);
        } else if (starts_with(p, "nan")) {
            literal.kind = NOT_A_NUMBER;
            literal.end = read_payload(p + 3, &literal.mantissa);
        } else {
            literal.negative = false;
        }
        return literal;
    }
    if (*p == '0' && (p[1] | 32) == 'x')
        read_hexadecimal(p + 2, &literal);
    if (literal.kind == NONE)
        read_decimal(p, &literal);
    if (literal.kind == NONE)
        literal.negative = false;
    return literal;
}

/* ---- big integers: limbs of 32 bits, the least significant first ---- */

#define FIVE_13 1220703125u

struct big {
    int n;
    uint32_t *limbs;
};

static void multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < big->n; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        big->limbs[big->n++] = (uint32_t)carry;
}

static void multiply_by_fives(struct big *big, int64_t power)
{
    for (; power >= 13; power -= 13)
        multiply_add(big, FIVE_13, 0);
    uint32_t rest = 1;
    for (; power > 0; power--)
        rest *= 5;
    multiply_add(big, rest, 0);
}

static int bit_length(const struct big *big) { return 32 * big->n - __builtin_clz(big->limbs[big->n - 1]); }

static void shift_left(struct big *big, int bits)
{
    int whole = bits / 32, part = bits % 32;
    uint32_t above = part ? big->limbs[big->n - 1] >> (32 - part) : 0;
    for (int i = big->n - 1; i >= 0; i--) {
        uint32_t below = part && i ? big->limbs[i - 1] >> (32 - part) : 0;
        big->limbs[i + whole] = big->limbs[i] << part | below;
    }
    for (int i = 0; i < whole; i++)
        big->limbs[i] = 0;
    big->n += whole;
    if (above)
        big->limbs[big->n++] = above;
}

/* One digit in base 2^32 of a long division: number = number - q × divisor, of which the limbs from `at` on take part.
 * The divisor's top bit is set, so that the guess from the top limbs is at most two too high. */
static uint32_t divide_step(uint32_t *number, const struct big *divisor)
{
    int n = divisor->n;
    uint64_t top = (uint64_t)number[n] << 32 | number[n - 1], guess = top / divisor->limbs[n - 1];
    if (guess > UINT32_MAX)
        guess = UINT32_MAX;
    uint64_t carry = 0, borrow = 0;
    for (int i = 0; i <= n; i++) {
        carry += i < n ? guess * divisor->limbs[i] : 0;
        uint64_t difference = (uint64_t)number[i] - (uint32_t)carry - borrow;
        number[i] = (uint32_t)difference;
        borrow = difference >> 63;
        carry >>= 32;
    }
    while (borrow) {
        guess--;
        carry = 0;
        for (int i = 0; i <= n; i++) {
            carry += (uint64_t)number[i] + (i < n ? divisor->limbs[i] : 0);
            number[i] = (uint32_t)carry;
            carry >>= 32;
        }
        borrow = carry == 0;
    }
    return (uint32_t)guess;
}

static bool any_below(const uint32_t *limbs, int n)
{
    for (int i = 0; i < n; i++)
        if (limbs[i])
            return true;
    return false;
}

/* From bits that are worth 2^scale at the unit of `low`. */
static struct exact normalize(uint64_t high, uint64_t low, bool sticky, int64_t scale)
{
    int shift = __builtin_clzll(high);
    uint64_t mantissa = shift ? high << shift | low >> (64 - shift) : high;
    low <<= shift;
    return (struct exact){mantissa, low >> 63, (low << 1) != 0 || sticky, scale + 127 - shift};
}

/* number × 2^exponent. */
static struct exact from_big(const struct big *number, int64_t exponent)
{
    uint32_t top[4] = {0};
    int n = number->n;
    for (int i = 0; i < 4 && i < n; i++)
        top[i] = number->limbs[n - 1 - i];
    return normalize((uint64_t)top[0] << 32 | top[1], (uint64_t)top[2] << 32 | top[3],
                     n > 4 && any_below(number->limbs, n - 4), exponent + 32 * (n - 4));
}

/* number / divisor × 2^exponent. Both are first shifted to the same length, which ends at the top of a limb. */
static struct exact from_quotient(struct big *number, struct big *divisor, int64_t exponent)
{
    int number_bits = bit_length(number), divisor_bits = bit_length(divisor);
    int bits = (number_bits > divisor_bits ? number_bits : divisor_bits) + 31;
    bits -= bits % 32;
    shift_left(number, bits - number_bits);
    shift_left(divisor, bits - divisor_bits);
    exponent += number_bits - divisor_bits;
    /* Three limbs of fraction below and a zero limb on top make room for four digits of the quotient. */
    int n = divisor->n;
    for (int i = n - 1; i >= 0; i--)
        number->limbs[i + 3] = number->limbs[i];
    number->limbs[n + 3] = 0;
    for (int i = 0; i < 3; i++)
        number->limbs[i] = 0;
    uint32_t quotient[4];
    for (int i = 0; i < 4; i++)
        quotient[i] = divide_step(number->limbs + 3 - i, divisor);
    uint64_t high = (uint64_t)quotient[0] << 32 | quotient[1], low = (uint64_t)quotient[2] << 32 | quotient[3];
    return normalize(high, low, any_below(number->limbs, n), exponent - 96);
}

/* ---- from the text to the value ---- */

/* Reads the first `count` significant digits. */
static void read_digits(struct big *number, const char *p, int64_t count)
{
    number->n = 0;
    while (count) {
        uint32_t chunk = 0, scale = 1;
        for (; count && scale < 1000000000u; p++)
            if (*p != '.') {
                chunk = chunk * 10 + (unsigned)(*p - '0');
                scale *= 10;
                count--;
            }
        multiply_add(number, scale, chunk);
    }
}

static struct exact from_decimal(const struct literal *literal, const struct format *format)
{
    uint32_t limbs[2][format->limbs];
    struct big number = {0, limbs[0]}, divisor = {1, limbs[1]};
    int64_t exponent = literal->exponent;
    if (literal->count <= 19) {
        number.limbs[0] = (uint32_t)literal->mantissa;
        number.limbs[1] = (uint32_t)(literal->mantissa >> 32);
        number.n = number.limbs[1] ? 2 : 1;
    } else if (literal->count <= format->digits) {
        read_digits(&number, literal->first, literal->count);
    } else {
        read_digits(&number, literal->first, format->digits);
        multiply_add(&number, 10, 1);
        exponent += literal->count - format->digits - 1;
    }
    if (exponent >= 0) {
        multiply_by_fives(&number, exponent);
        return from_big(&number, exponent);
    }
    divisor.limbs[0] = 1;
    multiply_by_fives(&divisor, -exponent);
    return from_quotient(&number, &divisor, exponent);
}

static struct exact from_hexadecimal(const struct literal *literal)
{
    return normalize(literal->mantissa, literal->tail, literal->more, literal->exponent - 64);
}

/* The top 64 - drop bits of a value, rounded. `carry`: all of them were ones, and the result is 2^(64 - drop). */
static uint64_t round_off(const struct exact *exact, int64_t drop, bool *inexact, bool *carry)
{
    bool half = exact->half, sticky = exact->sticky;
    uint64_t kept = exact->mantissa;
    if (drop > 64) {
        sticky = true;
        half = false;
        kept = 0;
    } else if (drop > 0) {
        uint64_t unit = (uint64_t)1 << (drop - 1);
        sticky = sticky || half || (kept & (unit - 1));
        half = (kept & unit) != 0;
        kept = drop == 64 ? 0 : kept >> drop;
    }
    *inexact = half || sticky;
    bool up = half && (sticky || (kept & 1));
    kept += up;
    *carry = up && (drop == 0 ? kept == 0 : drop < 64 && kept >> (64 - drop));
    return kept;
}

static struct rounded overflow(const struct format *format)
{
    errno = ERANGE;
    return (struct rounded){0, format->greatest - format->least + 2};
}

static struct rounded round_exact(const struct exact *exact, const struct format *format)
{
    bool inexact, carry;
    int64_t exponent = exact->exponent;
    uint64_t mantissa = round_off(exact, 64 - format->bits, &inexact, &carry);
    exponent += carry;
    if (exponent > format->greatest)
        return overflow(format);
    if (exact->exponent >= format->least) {
        if (carry)
            mantissa = (uint64_t)1 << (format->bits - 1);
        return (struct rounded){mantissa, (int)(exponent - format->least + 1)};
    }
    /* Subnormal. The range error is for what is too small even after rounding to full precision, and not exact. */
    bool tiny = exponent < format->least;
    mantissa = round_off(exact, 64 - format->bits + format->least - exact->exponent, &inexact, &carry);
    if (tiny && inexact)
        errno = ERANGE;
    bool normal = mantissa >> (format->bits - 1);
    return (struct rounded){mantissa, normal};
}

static struct rounded round_literal(const struct literal *literal, const struct format *format)
{
    int infinite = format->greatest - format->least + 2;
    if (literal->kind == INFINITE)
        return (struct rounded){0, infinite};
    if (literal->kind == NOT_A_NUMBER) {
        uint64_t quiet = (uint64_t)1 << (format->bits - 2);
        return (struct rounded){quiet | (literal->mantissa & (quiet - 1)), infinite};
    }
    if (literal->kind == NONE || literal->mantissa == 0)
        return (struct rounded){0, 0};
    struct exact exact;
    if (literal->kind == HEXADECIMAL) {
        exact = from_hexadecimal(literal);
    } else {
        int64_t magnitude = literal->count + literal->exponent;
        if (magnitude > format->overflow)
            return overflow(format);
        if (magnitude < format->underflow) {
            errno = ERANGE;
            return (struct rounded){0, 0};
        }
        exact = from_decimal(literal, format);
    }
    return round_exact(&exact, format);
}

/* ---- the three formats ---- */

/* Short numbers: the digits and the power of ten are both exact in the format, so one operation rounds once. */
INLINE bool is_short(const struct literal *literal, int bits, int power)
{
    return literal->kind == DECIMAL && literal->count <= 19 && literal->mantissa >> (bits - 1) <= 1 &&
           literal->exponent <= power && literal->exponent >= -power;
}

float __tbi_parse_float(const char *text, const char **end)
{
    static const float powers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    struct literal literal = read_literal(text);
    *end = literal.end;
    if (is_short(&literal, 24, 10)) {
        float value = (float)literal.mantissa;
        int64_t exponent = literal.exponent;
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
        return literal.negative ? -value : value;
    }
    struct rounded rounded = round_literal(&literal, &single_format);
    union {
        uint32_t bits;
        float value;
    } view = {(uint32_t)literal.negative << 31 | (uint32_t)rounded.exponent << 23 |
              ((uint32_t)rounded.mantissa & 0x7fffff)};
    return view.value;
}

double __tbi_parse_double(const char *text, const char **end)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct literal literal = read_literal(text);
    *end = literal.end;
    if (is_short(&literal, 53, 22)) {
        double value = (double)literal.mantissa;
        int64_t exponent = literal.exponent;
        value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
        return literal.negative ? -value : value;
    }
    struct rounded rounded = round_literal(&literal, &double_format);
    union {
        uint64_t bits;
        double value;
    } view = {(uint64_t)literal.negative << 63 | (uint64_t)rounded.exponent << 52 |
              (rounded.mantissa & 0xfffffffffffff)};
    return view.value;
}

long double __tbi_parse_long_double(const char *text, const char **end)
{
    struct literal literal = read_literal(text);
    *end = literal.end;
    struct rounded rounded = round_literal(&literal, &extended_format);
    union {
        struct {
            uint64_t mantissa;
            uint16_t exponent;
        } bits;
        long double value;
    } view;
    /* Its leading one is written down. */
    view.bits.mantissa = rounded.mantissa | (uint64_t)(rounded.exponent != 0) << 63;
    view.bits.exponent = (uint16_t)(literal.negative << 15 | rounded.exponent);
    return view.value;
}

INLINE void store_end(char **to, const char *end)
{
    if (to)
        *to = (char *)end;
}

double strtod(const char *restrict text, char **restrict end)
{
    const char *stop;
    double value = __tbi_parse_double(text, &stop);
    store_end(end, stop);
    return value;
}

float strtof(const char *restrict text, char **restrict end)
{
    const char *stop;
    float value = __tbi_parse_float(text, &stop);
    store_end(end, stop);
    return value;
}

long double strtold(const char *restrict text, char **restrict end)
{
    const char *stop;
    long double value = __tbi_parse_long_double(text, &stop);
    store_end(end, stop);
    return value;
}

double atof(const char *text)
{
    const char *stop;
    return __tbi_parse_double(text, &stop);
}
