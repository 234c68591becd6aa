/* The printf family: hand-written formats, then random formats and values. */
#include "harness.h"

#include <limits.h>
#include <stdarg.h>
#include <wchar.h>

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-security"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-extra-args"

OURS(snprintf);
OURS(vsnprintf);
OURS(sprintf);
OURS(printf);
OURS(fprintf);
OURS(dprintf);
OURS(asprintf);
OURS(free);
OURS(stdout);
OURS(stderr);
OURS(stdin);
OURS(__errno_location);
extern int tb___snprintf_chk(char *, size_t, int, size_t, const char *, ...);
extern int tb___sprintf_chk(char *, int, size_t, const char *, ...);

#define SIZE 24000
static char theirs[SIZE], ours[SIZE];

static void compare(const char *format, int expected, int error, int got, size_t size)
{
    size_t used = expected >= 0 && (size_t)expected < size ? (size_t)expected + 1 : size;
    bool same = expected == got && (expected < 0 || memcmp(theirs, ours, used) == 0);
    CHECK(same, "\"%s\" (size %zu): %d \"%.300s\", glibc %d \"%.300s\"", format, size, got, ours, expected, theirs);
    if (expected < 0)
        CHECK(*tb___errno_location() == error, "\"%s\": errno %d, glibc %d", format, *tb___errno_location(), error);
}

static void both_sized(size_t size, const char *format, ...)
{
    memset(theirs, '#', sizeof theirs);
    memset(ours, '#', sizeof ours);
    va_list a, b;
    va_start(a, format);
    va_copy(b, a);
    errno = ENOENT;
    *tb___errno_location() = ENOENT;
    int expected = vsnprintf(theirs, size, format, a);
    int error = errno;
    int got = tb_vsnprintf(ours, size, format, b);
    va_end(a);
    va_end(b);
    compare(format, expected, error, got, size);
    if (size < SIZE - 1)
        CHECK(ours[size] == '#', "\"%s\": wrote beyond size %zu", format, size);
}

#define both(...) both_sized(SIZE, __VA_ARGS__)

static void hand_written(void)
{
    both("");
    both("plain text");
    both("%d %i %u %x %X %o", 1, -2, 3u, 0xabc, 0xDEF, 8);
    both("%d|%d|%ld|%lld", INT_MIN, INT_MAX, LONG_MIN, LLONG_MAX);
    both("%5d|%-5d|%05d|%+d|% d|%+5d|%-+5d|%+05d", 42, 42, 42, 42, 42, 42, 42, 42);
    both("%.0d|%.0d|%5.3d|%-8.3d|%08.3d|%+.3d", 0, 1, 7, 7, 7, 7);
    both("%#x|%#X|%#o|%#x|%#o|%#.0o|%#5x|%#05x|%-#8x|", 255, 255, 8, 0, 0, 0, 1, 1, 255);
    both("%hhd|%hd|%hhu|%hu|%ld|%jd|%zd|%td|%qd|%Ld", 300, 70000, 300, 70000, -1L, -1L, -1L, -1L, -1LL, -1LL);
    both("%b|%#b|%B|%#B|%08b|%.5b", 5, 5, 5, 5, 5, 5);
    both("%c%c%c|%5c|%-5c|", 'a', 0, 'b', 'c', 'd');
    both("%s|%10s|%-10s|%.2s|%10.2s|%.0s|%.10s", "abc", "abc", "abc", "abc", "abc", "abc", "abc");
    both("%s|%.3s|%.6s|%10s|%.0s", NULL, NULL, NULL, NULL, NULL);
    both("%p|%p|%20p|%-20p|%020p|%+p|% p|%.12p|%10p|%.3p", NULL, (void *)0x1234, (void *)0x1234, (void *)0x1234,
         (void *)0x1234, (void *)0x1234, (void *)0x1234, (void *)0x1234, NULL, NULL);
    both("%%|%5%|%-5%|%05%|%.3%");
    both("%*d|%-*d|%*d|%.*d|%.*d|%*.*f", 6, 42, 6, 42, -6, 42, 3, 7, -3, 7, 10, 2, 3.14159);
    both("%2$s %1$s|%1$s", "a", "b");
    both("%2$*1$d|%4$.*3$f", 6, 42, 2, 3.14159);
    both("%1$d %2$s %3$f %4$Lf %5$c %6$ld %% %1$d", 1, "two", 3.0, 4.0L, '5', 6L);
    both("%3$d %1$d", 1, 2, 3);
    both("%m|%10.3m|%-30m|");
    both("%'d|%'.2f|%Id|%'u", 1234567, 1234567.891, 42, 7u);
    both("%ls|%5ls|%-5ls|%.2ls|%lc|%S|%C|%.0ls", L"wide", L"w", L"w", L"wide", L'x', L"upper", L'y', L"z");
    both("%ls", NULL);
    both("%.3S|%10S", NULL, NULL);
    both("%ls", L"caf\u00e9");
    both("%ls", L"\u20ac");
    both("%.3ls", L"caf\u00e9");
    both("%lc", 0xe9);
    both("%lc|", 0);
    both("%lc", 0x20ac);
    /* what is not a conversion */
    both("%y|%5y|%-+05.3y|%!|% w", 1);
    both("%");
    both("abc%");
    both("%5");
    both("%l");
    both("%-");
    both("%.");
    both("%#'+ -0Iy");
    both("%lly %hk %zr");
    both("%99999999999d", 1);
    both("%.99999999999d", 1);
    both("%2147483648d", 1);
    /* flags that contradict or repeat */
    both("%-05d|%0-5d|%+ d|% +d|%--5d|%00005d|%+u|% u|%#d|%#u", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    both("%-010x|%+s|%05s|%#s|%+c|%05c", 255, "s", "s", "s", 'c', 'c');
    both("%5.s|%5.d|%.-1d|%.s", "abc", 0, 5, "abc");

    int n1 = 0, n2 = 0;
    snprintf(theirs, SIZE, "abc%ndef%n", &n1, &n2);
    int m1 = 0, m2 = 0;
    tb_snprintf(ours, SIZE, "abc%ndef%n", &m1, &m2);
    CHECK(n1 == m1 && n2 == m2, "%%n: %d %d", m1, m2);
    signed char hh = 0;
    short h = 0;
    long l = 0;
    tb_snprintf(ours, SIZE, "%300d%hhn%hn%ln", 1, &hh, &h, &l);
    CHECK(hh == 44 && h == 300 && l == 300, "%%hhn %%hn %%ln: %d %d %ld", hh, h, l);
    for (size_t size = 0; size < 14; size++)
        both_sized(size, "%s-%05d", "abcdef", 42);
    for (size_t size = 0; size < 14; size++)
        both_sized(size, "%10.4f", 2.5);
    CHECK(tb_snprintf(NULL, 0, "%d", 12345) == 5, "snprintf(NULL, 0)");
}

static void floats(void)
{
    static const double values[] = {0.0,   -0.0,    1.0,      -1.0,    0.5,    1.5,   2.5,     3.5,     0.25,    0.125,
                                    1e10,  1e15,    1e16,     1e17,    1e22,   1e23,  1e100,   1e308,   1e-5,    1e-4,
                                    1e-10, 1e-300,  5e-324,   2.2e-308, 0.1,   0.2,   0.3,     123.456, 99999.5,
                                        999999.5,
                                    9.995, 9.9999995, 1234567, 12345678, 1e-7, 0.00012345, 8388608.5,
                                        4503599627370496.5,
                                    0x1p-1074, 0x1.fffffffffffffp1023, 0x1.8p-1060, 0x1.fp4, 0x1.ffp0, 0x1.08p0,
                                        0x1.18p0};
    static const char *const formats[] = {
        "%f",   "%e",    "%g",     "%a",    "%F",    "%E",    "%G",     "%A",     "%.0f",   "%.0e",    "%.0g",  "%.0a",
        "%#.0f", "%#.0e", "%#.0g", "%#.0a", "%.1f",  "%.1e",  "%.1g",   "%.1a",   "%.3f",   "%.3e",    "%.3g",  "%.3a",
        "%20f", "%-20f|", "%020f", "%+f",   "% f",   "%+.3e", "%020.3e", "%-20.3g|", "%020a", "%#g",   "%#.3g", "%.17g",
        "%.20f", "%.50f", "%.50e", "%.50g", "%.1100f", "%.1100g", "%.1100e", "%.20a", "%10.4f", "%'.2f", "%.15g",
            "%.16g"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
            both(formats[k], values[i]);
            both(formats[k], -values[i]);
            char wide[32] = "";
            const char *p = formats[k];
            size_t n = strlen(p) - (p[strlen(p) - 1] == '|') - 1;
            snprintf(wide, sizeof wide, "%.*sL%s", (int)n, p, p + n);
            both(wide, (long double)values[i]);
            both(wide, (long double)values[i] / 3);
        }
    static const double odd[] = {__builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    static const char *const odd_formats[] = {"%f", "%E", "%g", "%A", "%10f", "%-10f|", "%010f", "%+f", "% f", "%.2f"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < sizeof odd_formats / sizeof odd_formats[0]; k++) {
            both(odd_formats[k], odd[i]);
            both(odd_formats[k], __builtin_copysign(odd[i], -1));
        }
    both("%Lf|%La|%Le|%Lg", 0x1p-16445L, 0x1p-16445L, 0x1p-16445L, 0x1p-16445L);
    both("%.16500Lf", 0x1p-16445L);
    both("%.16500Lg", 0x1.fffffffffffffffep-16382L);
    both("%Lf", 0x1.fffffffffffffffep16383L);
    both("%.30Lf|%.30Le", 0x1.fffffffffffffffep63L, 0x1.fffffffffffffffep63L);
    both("%lf %llf", 1.5, 2.5L);
}

/* One random conversion: its format and which kind of argument it takes. */
static char random_format(char *format, bool *width, bool *precision, char conversion)
{
    char *p = format;
    if (random_below(3) == 0)
        *p++ = "a<0 "[random_below(4)];
    *p++ = '%';
    while (random_below(3) == 0)
        *p++ = "-+ #0'"[random_below(6)];
    *width = *precision = false;
    if (random_below(3) == 0)
        p += sprintf(p, "%u", 1 + random_below(random_below(8) ? 30 : 400));
    else if (random_below(8) == 0)
        *width = true, *p++ = '*';
    if (random_below(2) == 0) {
        *p++ = '.';
        if (random_below(8) == 0)
            *precision = true, *p++ = '*';
        else if (random_below(12))
            p += sprintf(p, "%u", random_below(random_below(6) ? 22 : 400));
    }
    char kind = 'i';
    if (strchr("diuxXob", conversion)) {
        static const char *const lengths[] = {"", "", "hh", "h", "l", "ll", "j", "z", "t"};
        unsigned length = random_below(9);
        p += sprintf(p, "%s", lengths[length]);
        kind = length >= 4 ? 'l' : 'i';
    } else if (strchr("feEgGaAF", conversion)) {
        kind = random_below(3) == 0 ? 'D' : 'd';
        if (kind == 'D')
            *p++ = 'L';
    } else if (conversion == 's' || conversion == 'p') {
        kind = conversion;
    }
    *p++ = conversion;
    if (random_below(3) == 0)
        *p++ = "z>9."[random_below(4)];
    *p = 0;
    return kind;
}

static void random_conversions(void)
{
    static const char *const strings[] = {"", "a", "hello", "a rather longer string, to be cut", "%d"};
    int count = times(200000);
    for (int i = 0; i < count; i++) {
        char format[64];
        bool width, precision;
        char kind = random_format(format, &width, &precision, "diuxXobcspfeEgGaAFfeg"[random_below(21)]);
        int w = (int)random_below(60) - 30, p = (int)random_below(30) - 5;
        size_t size = random_below(4) ? 2000 : random_below(20);
#define WITH(value)                                                                                                    \
    (width && precision ? both_sized(size, format, w, p, value)                                                       \
     : width            ? both_sized(size, format, w, value)                                                          \
     : precision        ? both_sized(size, format, p, value)                                                          \
                        : both_sized(size, format, value))
        if (kind == 'i')
            WITH((int)random_interesting());
        else if (kind == 'l')
            WITH((long)random_interesting());
        else if (kind == 'd')
            WITH(random_double());
        else if (kind == 'D')
            WITH(random_long_double());
        else if (kind == 's')
            WITH(strings[random_below(5)]);
        else
            WITH((void *)random_interesting());
#undef WITH
    }
}

/* A value, several conversions, in one call. */
static void random_mixtures(void)
{
    for (int i = times(20000); i > 0; i--) {
        static const char *const formats[] = {"%d %s %f", "[%5d] [%-8s] [%8.3f]", "%x:%.3s:%e", "%3$.2f %1$d %2$s",
                                              "%c%10s%g", "%08X %s %A", "%u,%s,%.12g\n"};
        both_sized(random_below(3) ? 1000 : random_below(40), formats[random_below(7)], (int)random_bits(),
                   random_below(2) ? "text" : "other text", random_double());
    }
}

static void sinks(void)
{
    world_reset();
    int n = tb_printf("%s %d\n", "hello", 5);
    CHECK(n == 8 && !strcmp(world.output, "hello 5\n") && world.output_fd == 1 && world.writes == 1, "printf");
    world_reset();
    n = tb_fprintf(tb_stderr, "%1000d|%500s", 1, "x");
    CHECK(n == 1501 && world.output_length == 1501 && world.output_fd == 2, "fprintf of a long text: %d", n);
    snprintf(theirs, SIZE, "%1000d|%500s", 1, "x");
    CHECK(!strcmp(theirs, world.output), "text of a long fprintf");
    memset(theirs, 'q', 3000);
    theirs[3000] = 0;
    world_reset();
    n = tb_printf("<%s>", theirs);
    CHECK(n == 3002 && world.output_length == 3002 && world.output[3001] == '>', "printf of a long string");
    world_reset();
    CHECK(tb_dprintf(2, "%d", 7) == 1 && world.output_fd == 2, "dprintf");
    CHECK(tb_dprintf(7, "%d", 7) == -1 && *tb___errno_location() == EBADF, "dprintf to a bad descriptor");
    CHECK(tb_fprintf(tb_stdin, "x") == -1, "fprintf to stdin");
    size_t live = world.live;
    char *text = NULL;
    n = tb_asprintf(&text, "%s %300d", "long", 7);
    CHECK(n == 305 && strlen(text) == 305, "asprintf: %d", n);
    tb_free(text);
    n = tb_asprintf(&text, "%s", "");
    CHECK(n == 0 && !*text, "asprintf of nothing");
    tb_free(text);
    CHECK(world.live == live, "asprintf leaks");
    n = tb_sprintf(ours, "%d%s", 12, "ab");
    CHECK(n == 4 && !strcmp(ours, "12ab"), "sprintf");
    CHECK(tb_snprintf(NULL, 0, "%2147483647d%d", 1, 2) == -1 && *tb___errno_location() == EOVERFLOW, "too long");
    CHECK(tb_snprintf(NULL, 0, "%2147483647d", 1) == INT_MAX, "just not too long");
    CHECK(tb_snprintf(NULL, 0, "%.2147483640f", 1.0) == -1 && *tb___errno_location() == EOVERFLOW,
          "%%f of a huge precision");
    CHECK(tb_snprintf(NULL, 0, "%.2147483640e", 1.0) == -1 && *tb___errno_location() == EOVERFLOW,
          "%%e of a huge precision");
    CHECK(tb_snprintf(NULL, 0, "%.2147483640g", 1.5) == 3, "%%g of a huge precision");
    CHECK(tb_snprintf(NULL, 0, "%.1000000000f", 1.5) == 1000000002, "a precision that is just not too great");

    char small[4];
    RUN_TO_END(tb___sprintf_chk(small, 0, sizeof small, "%s", "abcd"));
    CHECK(world_end == KILLED && world_code == 6, "__sprintf_chk of a text that does not fit");
    RUN_TO_END(tb___snprintf_chk(small, 5, 0, sizeof small, "a"));
    CHECK(world_end == KILLED, "__snprintf_chk with a size that is too great");
    n = tb___sprintf_chk(small, 0, sizeof small, "%s", "abc");
    CHECK(n == 3 && !strcmp(small, "abc"), "__sprintf_chk of a text that fits");
}

void test_printf(void)
{
    hand_written();
    floats();
    sinks();
    random_conversions();
    random_mixtures();
}
