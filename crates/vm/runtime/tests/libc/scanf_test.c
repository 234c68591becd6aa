/* The scanf family: sscanf on hand-written and random formats and texts, then the same through standard input. */
#include "harness.h"

#include <wchar.h>

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-extra-args"

extern int tb___isoc99_sscanf(const char *, const char *, ...);
extern int tb___isoc99_fscanf(FILE *, const char *, ...);
extern int tb_sscanf(const char *, const char *, ...);
OURS(stdin);
OURS(getchar);
OURS(clearerr);
OURS(free);
OURS(__errno_location);

/* The targets of up to four conversions, with room around them that must not change. */
union target {
    unsigned char bytes[256];
    long double force_alignment;
};

static void both(const char *text, const char *format, bool compare_errno)
{
    union target theirs[4], ours[4];
    memset(theirs, 0x5a, sizeof theirs);
    memset(ours, 0x5a, sizeof ours);
    errno = *tb___errno_location() = 0;
    int expected = sscanf(text, format, &theirs[0], &theirs[1], &theirs[2], &theirs[3]);
    int error = errno;
    int got = tb___isoc99_sscanf(text, format, &ours[0], &ours[1], &ours[2], &ours[3]);
    CHECK(expected == got, "sscanf(\"%s\", \"%s\") = %d, glibc %d", text, format, got, expected);
    CHECK(!memcmp(theirs, ours, sizeof ours), "sscanf(\"%s\", \"%s\") = %d: other values than glibc", text, format,
          got);
    /* glibc forgets a range error when a later conversion meets the end of the input. */
    CHECK(!compare_errno || error == *tb___errno_location(), "sscanf(\"%s\", \"%s\"): errno %d, glibc %d", text, format,
          *tb___errno_location(), error);
    /* The same from a stream that hands out a few bytes at a time, and what is left there. */
    memset(ours, 0x5a, sizeof ours);
    tb_clearerr(tb_stdin);
    while (tb_getchar() != EOF)
        ;
    tb_clearerr(tb_stdin);
    world_input(text);
    world.read_block = 1 + random_below(4);
    int from_stream = tb___isoc99_fscanf(tb_stdin, format, &ours[0], &ours[1], &ours[2], &ours[3]);
    CHECK(from_stream == expected && !memcmp(theirs, ours, sizeof ours),
          "fscanf(\"%s\", \"%s\") = %d, glibc's sscanf %d",
          text, format, from_stream, expected);
    int left = 0, their_left;
    while (tb_getchar() != EOF)
        left++;
    FILE *file = fmemopen((void *)text, strlen(text), "r");
    if (file) {
        memset(theirs, 0x5a, sizeof theirs);
        expected = fscanf(file, format, &theirs[0], &theirs[1], &theirs[2], &theirs[3]);
        for (their_left = 0; fgetc(file) != EOF;)
            their_left++;
        fclose(file);
        CHECK(left == their_left, "fscanf(\"%s\", \"%s\") leaves %d bytes, glibc %d", text, format, left, their_left);
    }
}

static void hand_written(void)
{
    static const char *const cases[][2] = {
        {"12 34", "%d %d"}, {"12 34", "%d%d"}, {"12,34", "%d,%d"}, {"12 ,34", "%d,%d"}, {"12 ,34", "%d ,%d"}, {"",
            "%d"},
        {"  ", "%d"}, {"abc", "%d"}, {"12abc", "%d%s"}, {"-5 +6", "%d %d"}, {"- 5", "%d"}, {"+", "%d"}, {"0x1f", "%x"},
        {"0x1f", "%i"}, {"0x1f", "%d"}, {"017", "%i"}, {"08", "%i"}, {"0x", "%x"}, {"0xg", "%x"}, {"0xg", "%i"}, {"0x",
            "%i"},
        {"123456", "%3d%3d"}, {"123456", "%3d%2d"}, {"-123", "%1d"}, {"-123", "%2d"}, {"0x1f", "%3x%x"}, {"0x1f",
            "%2x%x"},
        {"0x1f", "%1x%x"}, {"300", "%hhd"}, {"70000", "%hd"}, {"70000", "%hu"}, {"99999999999", "%d"},
        {"99999999999999999999", "%d"}, {"99999999999999999999", "%ld"}, {"-99999999999999999999", "%ld"}, {"-1", "%u"},
        {"-1", "%lu"}, {"18446744073709551616", "%lu"}, {"-18446744073709551616", "%lu"}, {"777", "%o"}, {"789", "%o"},
        {"1 2 3 4", "%hhd%hd%ld%lld"}, {"1 2 3 4", "%jd%zd%td%qd"}, {"5 6", "%*d%d"}, {"5", "%*d"}, {"5 6", "%*d %*d"},
        {"abc def", "%s%s"}, {"abcdef", "%3s%s"}, {"  abc", "%s"}, {"abc", "%c%c%c"}, {"abc", "%3c"}, {"ab", "%3c"},
            {"", "%c"},
        {" a", "%c"}, {" a", " %c"}, {"abc123", "%[a-z]%d"}, {"abc123", "%[^0-9]%d"}, {"123", "%[a-z]"}, {"]x",
            "%[]]%c"},
        {"]x", "%[^]]%c"}, {"x]", "%[^]]%c"}, {"a-b", "%[a-]%s"}, {"-ab", "%[-a]%s"}, {"abc", "%[c-a]%s"}, {"b-",
            "%[c-a]"}, {"abcdef", "%3[a-z]%s"},
        {"abc", "%[abc"}, {"abc", "%["}, {"", "%[a]"}, {"a", "%*[a]%n"}, {"abc", "%n"}, {"12 34", "%d%n %d%n"}, {"12",
            "%d%hhn%hn"},
        {"100%", "%d%%"}, {"100 %", "%d%%"}, {"100x", "%d%%"}, {"100", "%d%%"}, {"a b", "a b"}, {"ab", "a b"},
            {"a  b5", "a b%d"},
        {"x5", "y%d"}, {"", "x%d"}, {"3.14", "%f"}, {"3.14", "%lf"}, {"3.14", "%Lf"}, {"-1e5x", "%lf%c"}, {"1e",
            "%lf%c"},
        {"1e+", "%lf%c"}, {"1e+x", "%lf%c"}, {"1ex", "%lf%c"}, {"100ergs", "%lf%s"}, {".5", "%lf"}, {"5.", "%lf"},
            {".", "%lf"},
        {"-.", "%lf"}, {"-", "%lf"}, {"..5", "%lf"}, {"1.2.3", "%lf%lf"}, {"inf", "%lf"}, {"INFINITY", "%lf"}, {"infi",
            "%lf"},
        {"infx", "%lf%c"}, {"in", "%lf"}, {"nan", "%lf"}, {"NaNx", "%lf%c"}, {"na", "%lf"}, {"nan(1)", "%lf%s"},
            {"-inf", "%f"},
        {"0x1.8p3", "%lf"}, {"0x1.8p3", "%4lf%s"}, {"0x", "%lf"}, {"0xp", "%lf"}, {"0x1p", "%lf%c"}, {"0x.8", "%lf"},
            {"0", "%lf"},
        {"0x1e+5", "%lf%s"}, {"1.5e3", "%3lf%s"}, {"1.5e3", "%4lf%s"}, {"inf", "%2lf"}, {"infinity", "%3lf%s"},
            {"infinity", "%5lf%s"},
        {"1e400", "%lf"}, {"1e-400", "%lf"}, {"1e40", "%f"}, {"1 2", "%e%g"}, {"1 2", "%a%A"}, {"0x1234", "%p"},
            {"(nil)", "%p"},
        {"(nix)", "%p"}, {"(ni", "%p"}, {"(nil)", "%3p"}, {"1234", "%p"}, {"abc", "%ls"}, {"abc", "%lc"}, {"abc",
            "%2ls%l[a-z]"}, {"abc", "%S"},
        {"abc", "%C"}, {"a\xe9", "%ls"}, {"5", "%'d"}, {"5", "%0d"}, {"5", "%y"}, {"5", "%"}, {"5 ", "%d %"}, {"5",
            "%l"}, {"1 \n 2", "%d%d"},
        {"12:34:56", "%d:%d:%d"}, {"key=value", "%[^=]=%s"}, {"a,b", "%[^,],%[^,]"}, {"\xff" "b", "%c%c"}, {"\xff",
            "%s"}, {"x\x80y", "%[\x80-\xffx]%s"},
        {"0b101", "%i"}, {"00", "%i"}, {"0", "%i"}, {"-0", "%i"}, {"-0x1f", "%i"}, {"+0x1f", "%4i%s"}, {"1", "%*d%d"},
            {"1 x", "%d%d"},
        {"1", "%d%d"}, {"1 ", "%d%s"}, {"1", "%d%c"}, {"1", "%dx"}, {"1", "%d%[a]"}, {"", ""}, {"a", ""}, {"", " "},
            {"  ", " %c"}, {"1", "%99999999999d"},
        {"1 2", "%2$d %1$d"}, {"12 34 x", "%3$1d %1$ld%2$s"}, {"5 6 7", "%2$*d%2$d%d"}, {"5 6", "%0$d%d"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        both(cases[i][0], cases[i][1], true);
}

static void random_cases(void)
{
    static const char *const conversions[] = {"%d", "%i", "%u", "%x", "%o", "%ld", "%hd", "%3d", "%2i", "%1d", "%lf",
                                              "%f", "%Lf",
                                              "%4lf", "%6f", "%s", "%5s", "%c", "%2c", "%[a-f0-9]", "%3[^ ,]", "%n",
                                                  "%*d", "%*s", "%*f", " ",
                                              ",", "x", "%%", "%p", "%hhd", "%[^e.]", "%*[0-9]"};
    static const char *const pieces[] = {"0", "1", "12", "-", "+", "0x", "x", "e", "E", ".", ",", " ", "\n", "inf",
                                         "nan", "i", "n", "f", "a", "p", "%",
                                         "99999999999999999999", "7", "8", "9", "1.5", "-3", "abc", "(nil)", "0b1",
                                             "\t", "infinity", "e+", "p-2"};
    for (int i = times(60000); i > 0; i--) {
        char format[100] = "", text[200] = "";
        for (unsigned n = 1 + random_below(4); n > 0; n--) {
            const char *c = conversions[random_below(sizeof conversions / sizeof conversions[0])];
            strcat(format, c);
        }
        for (unsigned n = random_below(9); n > 0; n--)
            strcat(text, pieces[random_below(sizeof pieces / sizeof pieces[0])]);
        both(text, format, false);
    }
}

static void allocation(void)
{
    char *a = NULL, *b = NULL, *c = NULL;
    wchar_t *w = NULL;
    size_t live = world.live;
    int n = tb___isoc99_sscanf("hello 12345 xyz wide", "%ms %m[0-9] %3mc %mls", &a, &b, &c, &w);
    CHECK(n == 4 && !strcmp(a, "hello") && !strcmp(b, "12345") && !memcmp(c, "xyz", 3) && !wcscmp(w, L"wide"),
          "%%m: %d", n);
    tb_free(a);
    tb_free(b);
    tb_free(c);
    tb_free(w);
    CHECK(tb___isoc99_sscanf("  ", "%ms", &a) == EOF, "%%ms at the end of the input");
    CHECK(tb___isoc99_sscanf("abc", "%m[0-9]", &a) == 0, "%%m[ without a match");
    char text[300];
    memset(text, 'q', sizeof text);
    text[299] = 0;
    CHECK(tb___isoc99_sscanf(text, "%ms", &a) == 1 && !strcmp(a, text), "%%ms of a long word");
    tb_free(a);
    CHECK(tb_sscanf("word", "%as", &a) == 1 && !strcmp(a, "word"), "the old %%as");
    tb_free(a);
    CHECK(world.live == live, "scanf leaks");
    static char number[5000];
    memset(number, '1', sizeof number - 1);
    number[1] = '.';
    double d = 0;
    CHECK(tb___isoc99_sscanf(number, "%lf", &d) == 1 && d > 1.11111 && d < 1.11112, "a long number");
    extern int tb___isoc23_sscanf(const char *, const char *, ...);
    int i = 0;
    CHECK(tb___isoc23_sscanf("0b101", "%i", &i) == 1 && i == 5, "C23's 0b");
}

void test_scanf(void)
{
    hand_written();
    random_cases();
    allocation();
}
