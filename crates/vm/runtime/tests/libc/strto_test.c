/* Numbers from text: integers at their limits in every base; floats in three formats on random text, and on the exact
 * middle between two neighbours, where correct rounding is decided by the last digit. */
#include "harness.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>

OURS(strtol);
OURS(strtoll);
OURS(strtoul);
OURS(strtoull);
OURS(strtoimax);
OURS(strtoumax);
OURS(atoi);
OURS(atol);
OURS(atoll);
OURS(atof);
OURS(strtod);
OURS(strtof);
OURS(strtold);
OURS(__errno_location);
extern long tb___isoc23_strtol(const char *, char **, int);
extern int strfromf128(char *, size_t, const char *, __float128);

/* Both libraries on one text: value, end and errno. `type` values are compared as bytes. */
#define BOTH(type, bytes, theirs, ours, text, ...)                                                                     \
    do {                                                                                                               \
        char *end = NULL, *our_end = NULL;                                                                             \
        errno = *tb___errno_location() = 0;                                                                            \
        type expected = theirs(text, &end, ##__VA_ARGS__);                                                             \
        int error = errno;                                                                                             \
        type got = ours(text, &our_end, ##__VA_ARGS__);                                                                \
        CHECK(!memcmp(&expected, &got, bytes) && end == our_end && error == *tb___errno_location(),                    \
              #theirs "(\"%.200s\"): %La end %td errno %d, glibc %La end %td errno %d", text, (long double)got,        \
              our_end ? our_end - (text) : -1, *tb___errno_location(), (long double)expected,                          \
              end ? end - (text) : -1, error);                                                                         \
    } while (0)

static void integers_of(const char *text)
{
    static const int bases[] = {0, 2, 3, 8, 10, 16, 17, 36, 1, -1, 37};
    /* The sanitizer's own strtol stores an end for the invalid bases, glibc does not. */
    size_t count = sizeof bases / sizeof bases[0] - 3 * SANITIZED;
    for (size_t i = 0; i < count; i++) {
        BOTH(long, 8, strtol, tb_strtol, text, bases[i]);
        BOTH(long long, 8, strtoll, tb_strtoll, text, bases[i]);
        BOTH(unsigned long, 8, strtoul, tb_strtoul, text, bases[i]);
        BOTH(unsigned long long, 8, strtoull, tb_strtoull, text, bases[i]);
        BOTH(intmax_t, 8, strtoimax, tb_strtoimax, text, bases[i]);
        BOTH(uintmax_t, 8, strtoumax, tb_strtoumax, text, bases[i]);
    }
    CHECK(atoi(text) == tb_atoi(text), "atoi(\"%s\")", text);
    CHECK(atol(text) == tb_atol(text), "atol(\"%s\")", text);
    CHECK(atoll(text) == tb_atoll(text), "atoll(\"%s\")", text);
}

static void integers(void)
{
    static const char *const texts[] = {
        "",      " ",    "0",     "-0",   "+0",    "1",     "-1",  "+1",  "  42abc", "\t\n\v\f\r 7", "- 1",   "+-1",
            "--1",
        "0x",    "0x1f", "0X1F",  "0xg",  "-0x10", "0x-1",  "00x1", "08", "0778",    "0b101",        "0b",    "zZ",
             "12z",
        "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "-18446744073709551615", "-18446744073709551616", "99999999999999999999999",
        "-99999999999999999999999", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff", "10000000000000000",
        "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x10000000000000000",
        "777777777777777777777", "1777777777777777777777", "2000000000000000000000", "1y2p0ij32e8e7",
        "1y2p0ij32e8e8", "3w5e11264sgsf", "3w5e11264sgsg", "\2405", "5\xff", "1_000", "1,000", "1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        integers_of(texts[i]);
    for (int i = times(20000); i > 0; i--) {
        char text[80];
        int n = 0;
        while (random_below(5) == 0)
            text[n++] = " \t\n"[random_below(3)];
        if (random_below(3) == 0)
            text[n++] = "+-"[random_below(2)];
        if (random_below(4) == 0)
            n += sprintf(text + n, "%s", (const char *[]){"0x", "0X", "0", "0b"}[random_below(4)]);
        unsigned range = (unsigned[]){2, 8, 10, 16, 36}[random_below(5)];
        for (unsigned k = random_below(random_below(3) ? 12 : 50); k > 0; k--)
            text[n++] = "0123456789abcdefghijklmnopqrstuvwxyz"[random_below(range)];
        if (random_below(4) == 0)
            text[n++] = "z9 .x-"[random_below(6)];
        text[n] = 0;
        integers_of(text);
    }
    char *end;
    CHECK(tb___isoc23_strtol("0b101", &end, 0) == 5 && !*end, "__isoc23_strtol of 0b101");
    CHECK(tb___isoc23_strtol("-0B11", &end, 2) == -3 && !*end, "__isoc23_strtol of -0B11 in base 2");
    CHECK(tb___isoc23_strtol("0b2", &end, 0) == 0 && *end == 'b', "__isoc23_strtol of 0b2");
    CHECK(tb___isoc23_strtol("0b1", &end, 16) == 0xb1 && !*end, "__isoc23_strtol of 0b1 in base 16");
}

static void floats_of(const char *text)
{
    BOTH(double, 8, strtod, tb_strtod, text);
    BOTH(float, 4, strtof, tb_strtof, text);
    BOTH(long double, 10, strtold, tb_strtold, text);
}

static void hand_written(void)
{
    static const char *const texts[] = {
        "", " ", ".", "-", "+.", "e5", ".e1", "0", "-0", "0.0", "-.0", "1", "1.", ".5", "-1.5e3", "+1.5E+3", "1e",
            "1e+",
        "1ex", "1.5.5", "  \t1", "1 ", "0x", "0x.", "0xp1", "0x1", "0x1p", "0x1p+", "0x1p3", "0x.8", "0x1.8p1x",
            "0X1P-1",
        "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x1.fffffffffffff80000000000001p0", "0x1.00000000000008p0",
        "0x1.000000000000080000000001p0", "0x1p1023", "0x1p1024", "0x1.fffffffffffff7ffp1023",
            "0x1.fffffffffffff8p1023",
        "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x1.0000001p-1075", "0x1p-1022", "0x0.fffffffffffff8p-1022",
        "0x0.fffffffffffffcp-1022", "0x0.fffffffffffff7p-1022", "0x1p-16445", "0x1p-16446", "0x1.8p-16446", "0x1p16383",
        "0x1p16384", "0x1.fffffffffffffffep16383", "0x1.ffffffffffffffffp16383", "0x1.ffffffp127", "0x1.fffffefp127",
        "0x1.fffffffp-127", "0x0.ffffffp-126", "0x0.ffffff8p-126", "0x0.ffffff7p-126", "0x1p-149", "0x1p-150",
        "0x1.8p-150", "0x123456789abcdef0123456789abcdef.fedcba9876543210fedp-17", "0x0000000000000000000000001p0",
        "0x0.00000000000000000000000001p0", "0x1p99999999999999999999", "0x1p-99999999999999999999",
            "0x0p99999999999999999",
        "inf", "INF", "-inf", "infinity", "Infinity", "infinit", "infx", "in", "nan", "NaN", "-nan", "nan(", "nan()",
            "nan(1)",
        "nan(0x123)", "nan(abc)", "nan(0777)", "nan(1_)", "nan(12 )", "nan(99999999999999999999999)",
            "nan(0xfffffffffffff)",
        "nanx", "na", "1e308", "1e309", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669"
        "28879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669596228"
        "42914819860834936475292719074168444365510704342711559699508093042880e0",
        "1e-307", "1e-308", "2.2250738585072014e-308", "2.2250738585072011e-308", "2.2250738585072012e-308",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-323", "1e-324", "1e-400",
        "1e400", "1e-4951", "3.6451995318824746025e-4951", "1.8e-4951", "1.9e-4951", "1e-4952", "1e-4960", "1e4932",
        "1.189731495357231765e4932", "1.18973149535723176502e4932", "1.18973149535723176508575932662800702e4932",
            "1e4933",
        "1e5000", "3.4028234e38", "3.40282346e38", "3.4028235e38", "3.4028236e38", "1.17549435e-38", "1.17549429e-38",
            "1e-45",
        "7e-46", "7.1e-46", "1e99999999999999999999999", "1e-99999999999999999999999", "0e99999999999999999999",
        "0.000000000000000000000000000000000000000000000000000000000000000001e66",
            "100000000000000000000000000000000e-32",
        "9007199254740993", "9007199254740992.5", "9007199254740993.00000000000000000000000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999999", "0.1", "0.2", "0.3", "123456789012345678901234567890",
        "18446744073709551615", "18446744073709551616", "1.0e+0000000000000000005", "1e+", "0001", "000.1", "1,5",
            "1_000",
        "0x1e5", "0x1e+5", "12345678901234567890e-10", "1.00000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        floats_of(texts[i]);
        char negative[1000];
        snprintf(negative, sizeof negative, "-%s", texts[i]);
        floats_of(negative);
    }
    CHECK(tb_atof("2.5x") == 2.5, "atof");
    static char text[60000];
    for (int zeros = 100; zeros < 40000; zeros *= 5) {
        memset(text, '0', sizeof text);
        text[1] = '.';
        sprintf(text + zeros, "123e%d", zeros);
        floats_of(text);
        memset(text, '0', sizeof text);
        text[0] = '7';
        sprintf(text + zeros, "e-%d", zeros);
        floats_of(text);
        memset(text, '3', sizeof text);
        text[1] = '.';
        text[zeros] = 0;
        floats_of(text);
    }
}

static void random_text(void)
{
    for (int i = times(100000); i > 0; i--) {
        char text[1200];
        int n = 0, digits = 0;
        text[0] = 0;
        if (random_below(4) == 0)
            text[n++] = "+- "[random_below(3)], text[n] = 0;
        bool hex = random_below(6) == 0;
        if (hex)
            n += sprintf(text + n, "0x");
        unsigned length = random_below(random_below(3) ? 22 : random_below(20) ? 60 : 900);
        for (unsigned k = 0; k < length; k++) {
            if (random_below(8) == 0 && !strchr(text, '.') && n)
                text[n++] = '.';
            text[n++] = hex ? "0123456789abcdefABCDEF"[random_below(22)] : (char)('0' + random_below(10));
            digits++;
            text[n] = 0;
        }
        if (random_below(2))
            n += sprintf(text + n, "%c%d", hex ? 'p' : 'e',
                         (int)random_below(random_below(2) ? 60 : 700) - (random_below(2) ? 30 : 350) - (random_below(9) ? 0 : digits));
        if (random_below(8) == 0)
            text[n++] = "ex.-p"[random_below(5)];
        text[n] = 0;
        floats_of(text);
    }
}

/* What printf wrote must be read back as the same value. */
static void round_trips(void)
{
    for (int i = times(50000); i > 0; i--) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", (int)random_below(20) + 1, random_double());
        floats_of(text);
        if (random_below(4) == 0) {
            snprintf(text, sizeof text, "%.*Lg", (int)random_below(24) + 1, random_long_double());
            floats_of(text);
        }
    }
}

/* The exact text of a value with one bit more than the format has, and of its close neighbours. */
static void middle(char *text, size_t n)
{
    floats_of(text);
    char *e = strchr(text, 'e');
    if (!e)
        return;
    char exponent[16];
    strcpy(exponent, e);
    while (e > text && e[-1] == '0')
        e--;
    sprintf(e, "%s", exponent);
    floats_of(text);
    if (strlen(text) + 40 < n) {
        sprintf(e, "00000000000001%s", exponent);
        floats_of(text);
    }
    if (e > text && isdigit((unsigned char)e[-1]) && e[-1] != '0') {
        e[-1]--;
        sprintf(e, "9999%s", exponent);
        floats_of(text);
    }
}

static void middles(void)
{
    static char text[17000];
    for (int i = times(10000); i > 0; i--) {
        union {
            uint64_t bits;
            double value;
        } a = {random_bits() & 0x7fefffffffffffff};
        if (random_below(5) == 0)
            a.bits &= 0x000fffffffffffff >> random_below(52);
        double low = a.value;
        a.bits++;
        if (a.bits >> 52 == 0x7ff)
            continue;
        long double sum = ((long double)low + a.value) / 2;
        snprintf(text, sizeof text, "%.1080Le", sum);
        middle(text, sizeof text);
        float f = (float)low, g = __builtin_nextafterf(f, __builtin_inff());
        if (f < 3e38f) {
            snprintf(text, sizeof text, "%.200e", ((double)f + g) / 2);
            middle(text, sizeof text);
        }
    }
    for (int i = times(300); i > 0; i--) {
        union {
            struct {
                uint64_t low, high;
            } bits;
            __float128 value;
        } q;
        /* 64 value bits and a half: the leading one is not stored. */
        uint64_t mantissa = random_bits() >> 1;
        q.bits.high = (uint64_t)(1 + random_below(random_below(2) ? 0x7ffd : 200) + (random_below(2) ? 0 : 16000)) % 0x7ffe << 48 | mantissa >> 15;
        q.bits.low = mantissa << 49 | (uint64_t)1 << 48;
        strfromf128(text, sizeof text, random_below(30) ? "%.2000e" : "%.11600e", q.value);
        middle(text, sizeof text);
    }
}

void test_strto(void)
{
    integers();
    hand_written();
    random_text();
    round_trips();
    middles();
}
