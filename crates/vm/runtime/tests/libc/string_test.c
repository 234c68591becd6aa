/* <string.h> and <strings.h> on random buffers over a small alphabet. Every buffer has exactly its size, so that the
 * sanitizers see a read beyond it; what is written is compared as a whole, so that a byte too many is seen. */
#include "harness.h"

#include <strings.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wfortify-source"

OURS(memcpy); OURS(mempcpy); OURS(memmove); OURS(memset); OURS(memcmp); OURS(bcmp); OURS(memchr); OURS(memrchr);
OURS(rawmemchr); OURS(memccpy); OURS(memmem); OURS(bzero); OURS(bcopy); OURS(swab); OURS(explicit_bzero); OURS(memfrob);
OURS(strlen); OURS(strnlen); OURS(strcpy); OURS(stpcpy); OURS(strncpy); OURS(stpncpy); OURS(strcat); OURS(strncat);
OURS(strcmp); OURS(strncmp); OURS(strcoll); OURS(strxfrm); OURS(strcasecmp); OURS(strncasecmp); OURS(strchr);
OURS(strrchr); OURS(strchrnul); OURS(index); OURS(rindex); OURS(strspn); OURS(strcspn); OURS(strpbrk); OURS(strstr);
OURS(strcasestr); OURS(strtok_r); OURS(strtok); OURS(strsep); OURS(strdup); OURS(strndup); OURS(ffs); OURS(ffsl);
OURS(ffsll); OURS(strverscmp); OURS(strerror); OURS(strerror_r); OURS(strsignal); OURS(free);
extern size_t tb_strlcpy(char *, const char *, size_t), tb_strlcat(char *, const char *, size_t);
extern int tb___xpg_strerror_r(int, char *, size_t), __xpg_strerror_r(int, char *, size_t);
extern char *tb___strcpy_chk(char *, const char *, size_t), *tb___strcat_chk(char *, const char *, size_t);
extern void *tb___memcpy_chk(void *, const void *, size_t, size_t), *tb___memset_chk(void *, int, size_t, size_t);

static int sign(int n) { return (n > 0) - (n < 0); }

/* A random string in a block of exactly its size. */
static char *random_string(size_t max)
{
    size_t n = random_below((unsigned)max + 1);
    char *s = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        s[i] = "abABc,\xe9\x80"[random_below(8)];
    s[n] = 0;
    return s;
}

static char *random_bytes(size_t n)
{
    char *s = malloc(n + 1) ;
    for (size_t i = 0; i < n; i++)
        s[i] = "ab\0\xff"[random_below(4)];
    s[n] = 0;
    return s;
}

#define SAME(expression, ...) CHECK(expression, __VA_ARGS__)
/* The same position in the same string, or NULL twice. */
#define SAME_RESULT(name, ...) CHECK(name(__VA_ARGS__) == tb_##name(__VA_ARGS__), #name " differs")

static void searching(void)
{
    char *a = random_string(20), *b = random_string(4), *c = random_string(20);
    int byte = "abcZ,\0\xe9"[random_below(7)];
    size_t n = random_below(25);
    size_t la = strlen(a), lc = strlen(c);
    SAME_RESULT(strlen, a);
    SAME_RESULT(strnlen, a, n);
    SAME_RESULT(strchr, a, byte);
    SAME_RESULT(strrchr, a, byte);
    SAME_RESULT(strchrnul, a, byte);
    SAME_RESULT(index, a, byte);
    SAME_RESULT(rindex, a, byte);
    SAME_RESULT(strspn, a, b);
    SAME_RESULT(strcspn, a, b);
    SAME_RESULT(strpbrk, a, b);
    SAME_RESULT(strstr, a, b);
    SAME_RESULT(strcasestr, a, b);
    SAME_RESULT(memchr, a, byte, n < la ? n : la);
    SAME_RESULT(memrchr, a, byte, n < la ? n : la);
    SAME_RESULT(memmem, a, la, b, strlen(b));
    SAME_RESULT(rawmemchr, a, 0);
    SAME(sign(strcmp(a, c)) == sign(tb_strcmp(a, c)), "strcmp");
    SAME(sign(strcoll(a, c)) == sign(tb_strcoll(a, c)), "strcoll");
    SAME(sign(strncmp(a, c, n)) == sign(tb_strncmp(a, c, n)), "strncmp");
    SAME(sign(strcasecmp(a, c)) == sign(tb_strcasecmp(a, c)), "strcasecmp(\"%s\", \"%s\")", a, c);
    SAME(sign(strncasecmp(a, c, n)) == sign(tb_strncasecmp(a, c, n)), "strncasecmp");
    size_t both = la < lc ? la : lc;
    SAME(sign(memcmp(a, c, both)) == sign(tb_memcmp(a, c, both)), "memcmp");
    SAME(!bcmp(a, c, both) == !tb_bcmp(a, c, both), "bcmp");
    free(a);
    free(b);
    free(c);
}

/* Digits, zeros above all, and a little between them. */
static void versions(void)
{
    char a[9], b[9];
    for (char *s = a; s; s = s == a ? b : NULL) {
        size_t n = random_below(sizeof a);
        for (size_t i = 0; i < n; i++)
            s[i] = "0001129a./\xe9"[random_below(11)];
        s[n] = 0;
    }
    SAME(sign(strverscmp(a, b)) == sign(tb_strverscmp(a, b)), "strverscmp(\"%s\", \"%s\")", a, b);
}

#define SIZE 64

/* Runs a call on `to` for glibc and ours on equal buffers, and compares results as offsets, and the buffers. */
#define SAME_EFFECT(name, ...)                                                                                         \
    do {                                                                                                               \
        memcpy(x, filled, SIZE);                                                                                       \
        memcpy(y, filled, SIZE);                                                                                       \
        char *to = x;                                                                                                  \
        ptrdiff_t expected = (char *)name(__VA_ARGS__) - x;                                                            \
        to = y;                                                                                                        \
        ptrdiff_t got = (char *)tb_##name(__VA_ARGS__) - y;                                                            \
        CHECK(expected == got && !memcmp(x, y, SIZE), #name " writes other bytes, or returns %td for %td", got, expected); \
    } while (0)

static void writing(void)
{
    char *a = random_string(20), *bytes = random_bytes(24);
    char filled[SIZE], x[SIZE], y[SIZE];
    for (int i = 0; i < SIZE; i++)
        filled[i] = (char)('0' + i % 10);
    filled[random_below(20)] = 0;
    size_t n = random_below(25);
    int byte = "ab\0\xff"[random_below(4)];
    SAME_EFFECT(memcpy, to, bytes, n);
    SAME_EFFECT(mempcpy, to, bytes, n);
    SAME_EFFECT(memmove, to + 5, to + random_below(1) + n % 10, n);
    SAME_EFFECT(memset, to, byte, n);
    SAME_EFFECT(strcpy, to, a);
    SAME_EFFECT(stpcpy, to, a);
    SAME_EFFECT(strncpy, to, a, n);
    SAME_EFFECT(stpncpy, to, a, n);
    SAME_EFFECT(strcat, to, a);
    SAME_EFFECT(strncat, to, a, n);
    SAME_EFFECT(memfrob, to, n);
    memcpy(x, filled, SIZE), memcpy(y, filled, SIZE);
    char *p = memccpy(x, bytes, byte, n), *q = tb_memccpy(y, bytes, byte, n);
    CHECK((p ? p - x : -1) == (q ? q - y : -1) && !memcmp(x, y, SIZE), "memccpy");
    memcpy(x, filled, SIZE), memcpy(y, filled, SIZE);
    CHECK(strxfrm(x, a, n) == tb_strxfrm(y, a, n) && !memcmp(x, y, n ? n : 1), "strxfrm");
    bzero(x, n), tb_bzero(y, n);
    bcopy(bytes, x + 3, n), tb_bcopy(bytes, y + 3, n);
    swab(bytes, x + 30, (ssize_t)n), tb_swab(bytes, y + 30, (ssize_t)n);
    tb_explicit_bzero(y + 60, 2), explicit_bzero(x + 60, 2);
    CHECK(!memcmp(x, y, SIZE), "bzero, bcopy, swab or explicit_bzero");
    /* strlcpy and strlcat are newer than this glibc: snprintf says the same */
    memcpy(x, filled, SIZE), memcpy(y, filled, SIZE);
    size_t expected = (size_t)snprintf(x, n, "%s", a);
    CHECK(tb_strlcpy(y, a, n) == expected && !memcmp(x, y, SIZE), "strlcpy");
    memcpy(y, filled, SIZE);
    size_t used = strnlen(y, n);
    CHECK(tb_strlcat(y, a, n) == used + strlen(a), "strlcat's result");
    if (used < n)
        CHECK(strlen(y) == (used + strlen(a) < n ? used + strlen(a) : n - 1) && !strncmp(y + used, a,
            strlen(y) - used), "strlcat");
    else
        CHECK(!memcmp(y, filled, SIZE), "strlcat without room");
    char *d = tb_strdup(a), *e = tb_strndup(a, n);
    CHECK(!strcmp(d, a) && strlen(e) == strnlen(a, n) && !strncmp(e, a, strlen(e)), "strdup or strndup");
    tb_free(d);
    tb_free(e);
    free(a);
    free(bytes);
}

static void tokens(void)
{
    char *a = random_string(24), *b = strdup(a), *delimiters = random_string(3);
    char *rest = NULL, *our_rest = NULL;
    if (random_below(2)) {
        char *p = strtok_r(a, delimiters, &rest), *q = tb_strtok_r(b, delimiters, &our_rest);
        for (int i = 0; i < 30; i++) {
            CHECK((p ? p - a : -1) == (q ? q - b : -1) && rest - a == our_rest - b, "strtok_r");
            p = strtok_r(NULL, delimiters, &rest), q = tb_strtok_r(NULL, delimiters, &our_rest);
        }
        CHECK(!memcmp(a, b, strlen(b) + 1), "strtok_r's string");
        p = strtok(a, delimiters), q = tb_strtok(b, delimiters);
        CHECK((p ? p - a : -1) == (q ? q - b : -1), "strtok");
        p = strtok(NULL, delimiters), q = tb_strtok(NULL, delimiters);
        CHECK((p ? p - a : -1) == (q ? q - b : -1), "strtok(NULL)");
    } else {
        rest = a;
        our_rest = b;
        for (int i = 0; i < 30; i++) {
            char *p = strsep(&rest, delimiters), *q = tb_strsep(&our_rest, delimiters);
            CHECK((p ? p - a : -1) == (q ? q - b : -1) && (rest ? rest - a : -1) == (our_rest ? our_rest - b : -1),
                  "strsep");
        }
    }
    free(a);
    free(b);
    free(delimiters);
}

static void errors(void)
{
    for (int i = -3; i < 140; i++) {
        CHECK(!strcmp(strerror(i), tb_strerror(i)), "strerror(%d)", i);
        char x[40] = "", y[40] = "";
        for (size_t size = 0; size < 40; size += 13) {
            CHECK(!strcmp(strerror_r(i, x, size), tb_strerror_r(i, y, size)) || size == 0, "strerror_r(%d)", i);
            memset(x, 0, 40), memset(y, 0, 40);
            CHECK(__xpg_strerror_r(i, x, size) == tb___xpg_strerror_r(i, y, size) && !memcmp(x, y, 40),
                  "__xpg_strerror_r(%d, %zu)", i, size);
        }
    }
    CHECK(!strcmp(strerror(-2147483647 - 1), tb_strerror(-2147483647 - 1)), "strerror(INT_MIN)");
    for (int i = -1; i < 70; i++)
        CHECK(!strcmp(strsignal(i), tb_strsignal(i)), "strsignal(%d): %s", i, tb_strsignal(i));
}

static void fortified(void)
{
    char small[4];
    RUN_TO_END(tb___strcpy_chk(small, "abcd", sizeof small));
    CHECK(world_end == KILLED, "__strcpy_chk");
    CHECK(!strcmp(tb___strcpy_chk(small, "ab", sizeof small), "ab"), "__strcpy_chk that fits");
    CHECK(!strcmp(tb___strcat_chk(small, "c", sizeof small), "abc"), "__strcat_chk that fits");
    RUN_TO_END(tb___strcat_chk(small, "d", sizeof small));
    CHECK(world_end == KILLED && strstr(world.output, "buffer overflow detected"), "__strcat_chk");
    RUN_TO_END(tb___memcpy_chk(small, "abcdef", 5, sizeof small));
    CHECK(world_end == KILLED, "__memcpy_chk");
    RUN_TO_END(tb___memset_chk(small, 0, 5, sizeof small));
    CHECK(world_end == KILLED, "__memset_chk");
    CHECK(tb___memset_chk(small, 0, 4, sizeof small) == small, "__memset_chk that fits");
}

void test_string(void)
{
    for (int i = times(20000); i > 0; i--) {
        searching();
        versions();
        writing();
        tokens();
        uint64_t bits = random_interesting();
        CHECK(ffs((int)bits) == tb_ffs((int)bits) && ffsl((long)bits) == tb_ffsl((long)bits) &&
              ffsll((long long)bits) == tb_ffsll((long long)bits), "ffs");
    }
    CHECK(tb_strstr("abc", "") != NULL && tb_memmem("abc", 3, "", 0) != NULL, "an empty needle");
    CHECK(tb_memcpy(NULL, NULL, 0) == NULL && tb_memset(NULL, 1, 0) == NULL, "ranges of length 0");
    errors();
    fortified();
}
