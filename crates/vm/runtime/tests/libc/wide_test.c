/* Wide strings, conversions between characters and bytes in the C locale, wide output and numbers. */
#include "harness.h"

#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

OURS(wmemcpy); OURS(wmemmove); OURS(wmemset); OURS(wmemcmp); OURS(wmemchr); OURS(wcslen); OURS(wcsnlen); OURS(wcscpy);
OURS(wcsncpy); OURS(wcscat); OURS(wcsncat); OURS(wcscmp); OURS(wcsncmp); OURS(wcscasecmp); OURS(wcschr); OURS(wcsrchr);
OURS(wcsspn); OURS(wcscspn); OURS(wcspbrk); OURS(wcsstr); OURS(wcstok); OURS(wcsdup); OURS(free);
OURS(btowc); OURS(wctob); OURS(mbrtowc); OURS(mbrlen); OURS(wcrtomb); OURS(mbtowc); OURS(mblen); OURS(wctomb);
OURS(mbstowcs); OURS(wcstombs); OURS(mbsrtowcs); OURS(wcsrtombs); OURS(mbrtoc16); OURS(c32rtomb); OURS(mbsinit);
OURS(iswalpha); OURS(iswspace); OURS(iswprint); OURS(towlower); OURS(towupper); OURS(wctype); OURS(iswctype);
OURS(swprintf); OURS(wprintf); OURS(putwchar); OURS(wcstol); OURS(wcstoul); OURS(wcstod);
OURS(__errno_location);

static int sign(int n) { return (n > 0) - (n < 0); }

static wchar_t *random_wide(size_t max)
{
    size_t n = random_below((unsigned)max + 1);
    wchar_t *s = malloc((n + 1) * sizeof *s);
    for (size_t i = 0; i < n; i++)
        s[i] = L"abAB,\u20ac\u00e9"[random_below(7)];
    s[n] = 0;
    return s;
}

#define SAME_RESULT(name, ...) CHECK(name(__VA_ARGS__) == tb_##name(__VA_ARGS__), #name " differs")
#define SAME_EFFECT(name, ...)                                                                                         \
    do {                                                                                                               \
        wchar_t x[64], y[64];                                                                                          \
        for (int k = 0; k < 64; k++)                                                                                   \
            x[k] = y[k] = k == 3 ? 0 : 'q';                                                                            \
        wchar_t *to = x;                                                                                               \
        ptrdiff_t expected = name(__VA_ARGS__) - x;                                                                    \
        to = y;                                                                                                        \
        ptrdiff_t got = tb_##name(__VA_ARGS__) - y;                                                                    \
        CHECK(expected == got && !memcmp(x, y, sizeof x), #name " differs");                                           \
    } while (0)

static void strings(void)
{
    wchar_t *a = random_wide(15), *b = random_wide(3), *c = random_wide(15);
    size_t n = random_below(20), la = wcslen(a);
    wchar_t ch = L"aB,\u20ac\0"[random_below(5)];
    SAME_RESULT(wcslen, a);
    SAME_RESULT(wcsnlen, a, n);
    SAME_RESULT(wcschr, a, ch);
    SAME_RESULT(wcsrchr, a, ch);
    SAME_RESULT(wcsspn, a, b);
    SAME_RESULT(wcscspn, a, b);
    SAME_RESULT(wcspbrk, a, b);
    SAME_RESULT(wcsstr, a, b);
    SAME_RESULT(wmemchr, a, ch, n < la ? n : la);
    CHECK(sign(wcscmp(a, c)) == sign(tb_wcscmp(a, c)) && sign(wcsncmp(a, c, n)) == sign(tb_wcsncmp(a, c, n)), "wcscmp");
    CHECK(sign(wcscasecmp(a, c)) == sign(tb_wcscasecmp(a, c)), "wcscasecmp");
    size_t both = la < wcslen(c) ? la : wcslen(c);
    CHECK(sign(wmemcmp(a, c, both)) == sign(tb_wmemcmp(a, c, both)), "wmemcmp");
    SAME_EFFECT(wmemcpy, to, a, la);
    SAME_EFFECT(wmemset, to, ch, n);
    SAME_EFFECT(wmemmove, to + 2, to, n);
    SAME_EFFECT(wcscpy, to, a);
    SAME_EFFECT(wcsncpy, to, a, n);
    SAME_EFFECT(wcscat, to, a);
    SAME_EFFECT(wcsncat, to, a, n);
    wchar_t *copy = tb_wcsdup(a), *rest = NULL, *our_rest = NULL;
    CHECK(!wcscmp(a, copy), "wcsdup");
    wchar_t *p = wcstok(a, b, &rest), *q = tb_wcstok(copy, b, &our_rest);
    for (int i = 0; i < 10; i++) {
        CHECK((p ? p - a : -1) == (q ? q - copy : -1), "wcstok");
        p = wcstok(NULL, b, &rest), q = tb_wcstok(NULL, b, &our_rest);
    }
    tb_free(copy);
    free(a);
    free(b);
    free(c);
}

static void conversions(void)
{
    for (int c = -2; c < 300; c++) {
        CHECK(btowc(c) == tb_btowc(c), "btowc(%d)", c);
        CHECK(wctob((wint_t)c) == tb_wctob((wint_t)c), "wctob(%d)", c);
        char x[20] = "", y[20] = "";
        mbstate_t state = {0};
        *tb___errno_location() = errno = 0;
        CHECK(wcrtomb(x, c, &state) == tb_wcrtomb(y, c, &state) && !strcmp(x, y) && errno == *tb___errno_location(),
              "wcrtomb(%d)", c);
        state = (mbstate_t){0};
        CHECK(wctomb(x, c) == tb_wctomb(y, c) && c32rtomb(x, (char32_t)c, &state) == tb_c32rtomb(y, (char32_t)c,
            &(mbstate_t){0}), "wctomb(%d)", c);
        CHECK(!iswalpha((wint_t)c) == !tb_iswalpha((wint_t)c) && !iswspace((wint_t)c) == !tb_iswspace((wint_t)c) &&
              !iswprint((wint_t)c) == !tb_iswprint((wint_t)c), "isw…(%d)", c);
        CHECK(towlower((wint_t)c) == tb_towlower((wint_t)c) && towupper((wint_t)c) == tb_towupper((wint_t)c),
              "tow…(%d)", c);
        CHECK(!iswctype((wint_t)c, wctype("punct")) == !tb_iswctype((wint_t)c, tb_wctype("punct")), "iswctype(%d)", c);
        if (c < 0 || c > 255)
            continue;
        char text[2] = {(char)c, 0};
        wchar_t u = 7, v = 7;
        state = (mbstate_t){0};
        CHECK(mbrtowc(&u, text, 1, &state) == tb_mbrtowc(&v, text, 1, &(mbstate_t){0}) && u == v, "mbrtowc(%d)", c);
        CHECK(mbtowc(&u, text, 1) == tb_mbtowc(&v, text, 1) && u == v && mblen(text, 1) == tb_mblen(text, 1),
              "mbtowc(%d)", c);
        char16_t s = 7, t = 7;
        state = (mbstate_t){0};
        CHECK(mbrtoc16(&s, text, 1, &state) == tb_mbrtoc16(&t, text, 1, &(mbstate_t){0}) && s == t, "mbrtoc16(%d)", c);
    }
    CHECK(tb_mbrtowc(NULL, "a", 0, NULL) == (size_t)-2 && tb_mbtowc(NULL, NULL, 0) == 0 && tb_wctomb(NULL, 0) == 0 &&
          tb_mbsinit(NULL), "no bytes");
    static const char *const texts[] = {"", "abc", "a\xe9z", "longer text"};
    static const wchar_t *const wides[] = {L"", L"abc", L"a\u00e9z", L"longer text"};
    for (int i = 0; i < 4; i++)
        for (size_t n = 0; n < 15; n++) {
            wchar_t u[20] = {0}, v[20] = {0};
            char x[20] = "", y[20] = "";
            CHECK(mbstowcs(u, texts[i], n) == tb_mbstowcs(v, texts[i], n) && !memcmp(u, v, sizeof u), "mbstowcs");
            CHECK(wcstombs(x, wides[i], n) == tb_wcstombs(y, wides[i], n) && !memcmp(x, y, sizeof x), "wcstombs");
            CHECK(mbstowcs(NULL, texts[i], 0) == tb_mbstowcs(NULL, texts[i], 0) && wcstombs(NULL, wides[i],
                0) == tb_wcstombs(NULL, wides[i], 0), "lengths");
            const char *p = texts[i], *q = texts[i];
            mbstate_t state = {0};
            CHECK(mbsrtowcs(u, &p, n, &state) == tb_mbsrtowcs(v, &q, n, &(mbstate_t){0}) && p == q, "mbsrtowcs");
            const wchar_t *r = wides[i], *s = wides[i];
            state = (mbstate_t){0};
            CHECK(wcsrtombs(x, &r, n, &state) == tb_wcsrtombs(y, &s, n, &(mbstate_t){0}) && r == s, "wcsrtombs");
        }
}

static void text(void)
{
    wchar_t u[40], v[40];
    for (size_t n = 0; n < 20; n++) {
        wmemset(u, 'q', 40), wmemset(v, 'q', 40);
        int a = swprintf(u, n, L"%d %ls %s", 42, L"wide", "narrow"), b = tb_swprintf(v, n, L"%d %ls %s", 42, L"wide",
            "narrow");
        CHECK(a == b && (a < 0 || !wcscmp(u, v)), "swprintf of size %zu: %d, glibc %d", n, b, a);
    }
    world_reset();
    CHECK(tb_wprintf(L"%5.2f|%ls\n", 2.5, L"x") == 8 && !strcmp(world.output, " 2.50|x\n"), "wprintf");
    world_reset();
    CHECK(tb_putwchar(L'c') == L'c' && !strcmp(world.output, "c") && tb_putwchar(0x20ac) == WEOF, "putwchar");
    wchar_t *end;
    CHECK(tb_wcstol(L" -42x", &end, 10) == -42 && *end == 'x' && tb_wcstoul(L"ff\u20ac", &end, 16) == 255 &&
          *end == 0x20ac, "wcstol");
    CHECK(tb_wcstod(L"1.5e3z", &end) == 1500.0 && *end == 'z', "wcstod");
}

void test_wide(void)
{
    for (int i = times(5000); i > 0; i--)
        strings();
    conversions();
    text();
}
