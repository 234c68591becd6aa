/* <string.h> and <strings.h>. Whole ranges go to the machine's primitives, which check them at once; everything that
 * looks at values goes byte by byte and never beyond the end, so that an error of the program is found where it is. */
#include "tb_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    tb_copy(to, from, n);
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    tb_copy(to, from, n);
    return (char *)to + n;
}

void *memmove(void *to, const void *from, size_t n)
{
    if (n)
        __tb_memmove(to, from, n);
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    if (n)
        __tb_memset(to, byte, n);
    return to;
}

void explicit_bzero(void *to, size_t n)
{
    if (n)
        __tb_memset(to, 0, n);
}

void bzero(void *to, size_t n)
{
    if (n)
        __tb_memset(to, 0, n);
}

void bcopy(const void *from, void *to, size_t n)
{
    if (n)
        __tb_memmove(to, from, n);
}

static int compare_bytes(const unsigned char *a, const unsigned char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}

int memcmp(const void *a, const void *b, size_t n) { return compare_bytes(a, b, n); }

int bcmp(const void *a, const void *b, size_t n) { return compare_bytes(a, b, n); }

void *memchr(const void *in, int byte, size_t n)
{
    const unsigned char *p = in;
    for (size_t i = 0; i < n; i++)
        if (p[i] == (unsigned char)byte)
            return (void *)(p + i);
    return NULL;
}

void *rawmemchr(const void *in, int byte)
{
    const unsigned char *p = in;
    while (*p != (unsigned char)byte)
        p++;
    return (void *)p;
}

void *memrchr(const void *in, int byte, size_t n)
{
    const unsigned char *p = in;
    while (n--)
        if (p[n] == (unsigned char)byte)
            return (void *)(p + n);
    return NULL;
}

void *memccpy(void *restrict to, const void *restrict from, int byte, size_t n)
{
    const unsigned char *p = from;
    size_t i = 0;
    while (i < n)
        if (p[i++] == (unsigned char)byte) {
            __tb_memcpy(to, from, i);
            return (char *)to + i;
        }
    tb_copy(to, from, n);
    return NULL;
}

void *memmem(const void *in, size_t n, const void *what, size_t length)
{
    const unsigned char *p = in, *w = what;
    if (length == 0)
        return (void *)in;
    for (size_t i = 0; i + length <= n; i++)
        if (p[i] == w[0] && compare_bytes(p + i, w, length) == 0)
            return (void *)(p + i);
    return NULL;
}

void *memfrob(void *in, size_t n)
{
    unsigned char *p = in;
    for (size_t i = 0; i < n; i++)
        p[i] ^= 42;
    return in;
}

void swab(const void *restrict from, void *restrict to, ssize_t n)
{
    const char *f = from;
    char *t = to;
    for (ssize_t i = 0; i + 1 < n; i += 2) {
        char first = f[i];
        t[i] = f[i + 1];
        t[i + 1] = first;
    }
}

size_t strlen(const char *s) { return tb_strlen(s); }

size_t strnlen(const char *s, size_t max) { return tb_strnlen(s, max); }

char *strcpy(char *restrict to, const char *restrict from)
{
    __tb_memcpy(to, from, tb_strlen(from) + 1);
    return to;
}

char *stpcpy(char *restrict to, const char *restrict from)
{
    size_t n = tb_strlen(from);
    __tb_memcpy(to, from, n + 1);
    return to + n;
}

char *stpncpy(char *restrict to, const char *restrict from, size_t size)
{
    size_t n = tb_strnlen(from, size);
    tb_copy(to, from, n);
    if (n < size)
        __tb_memset(to + n, 0, size - n);
    return to + n;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    size_t n = tb_strnlen(from, size);
    tb_copy(to, from, n);
    if (n < size)
        __tb_memset(to + n, 0, size - n);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    __tb_memcpy(to + tb_strlen(to), from, tb_strlen(from) + 1);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t size)
{
    char *end = to + tb_strlen(to);
    size_t n = tb_strnlen(from, size);
    tb_copy(end, from, n);
    end[n] = 0;
    return to;
}

INLINE size_t copy_cut(char *to, const char *from, size_t size)
{
    size_t n = tb_strlen(from);
    if (size) {
        size_t fits = n < size ? n : size - 1;
        tb_copy(to, from, fits);
        to[fits] = 0;
    }
    return n;
}

INLINE size_t append_cut(char *to, const char *from, size_t size)
{
    size_t used = tb_strnlen(to, size), n = tb_strlen(from);
    if (used < size) {
        size_t fits = n < size - used ? n : size - used - 1;
        tb_copy(to + used, from, fits);
        to[used + fits] = 0;
    }
    return used + n;
}

size_t strlcpy(char *restrict to, const char *restrict from, size_t size) { return copy_cut(to, from, size); }

size_t strlcat(char *restrict to, const char *restrict from, size_t size) { return append_cut(to, from, size); }

/* The fortified two are here and not in compat.c: not every glibc declares them. */
size_t __strlcpy_chk(char *restrict to, const char *restrict from, size_t size, size_t object)
{
    if (object < size)
        __tbi_overflow_detected();
    return copy_cut(to, from, size);
}

size_t __strlcat_chk(char *restrict to, const char *restrict from, size_t size, size_t object)
{
    if (object < size)
        __tbi_overflow_detected();
    return append_cut(to, from, size);
}

int strcmp(const char *a, const char *b) { return tb_strcmp(a, b); }

int strcoll(const char *a, const char *b) { return tb_strcmp(a, b); }

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
        if (!a[i])
            break;
    }
    return 0;
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t size)
{
    size_t n = tb_strlen(from);
    if (size)
        tb_copy(to, from, n < size ? n + 1 : size);
    return n;
}

int strcasecmp(const char *a, const char *b)
{
    for (;; a++, b++) {
        int difference = tb_lower((unsigned char)*a) - tb_lower((unsigned char)*b);
        if (difference || !*a)
            return difference;
    }
}

int strncasecmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int difference = tb_lower((unsigned char)a[i]) - tb_lower((unsigned char)b[i]);
        if (difference || !a[i])
            return difference;
    }
    return 0;
}

INLINE char *find_or_end(const char *s, int byte)
{
    while (*s && *s != (char)byte)
        s++;
    return (char *)s;
}

char *strchrnul(const char *s, int byte) { return find_or_end(s, byte); }

char *strchr(const char *s, int byte)
{
    char *p = find_or_end(s, byte);
    return *p == (char)byte ? p : NULL;
}

char *index(const char *s, int byte)
{
    char *p = find_or_end(s, byte);
    return *p == (char)byte ? p : NULL;
}

INLINE char *find_last(const char *s, int byte)
{
    const char *last = NULL;
    for (;; s++) {
        if (*s == (char)byte)
            last = s;
        if (!*s)
            return (char *)last;
    }
}

char *strrchr(const char *s, int byte) { return find_last(s, byte); }

char *rindex(const char *s, int byte) { return find_last(s, byte); }

/* The length of the prefix of s whose bytes are all (or all not) in `set`. */
INLINE size_t span(const char *s, const char *set, bool inside)
{
    size_t n = 0;
    for (; s[n]; n++)
        if ((*find_or_end(set, s[n]) != 0) != inside)
            break;
    return n;
}

size_t strspn(const char *s, const char *set) { return span(s, set, true); }

size_t strcspn(const char *s, const char *set) { return span(s, set, false); }

char *strpbrk(const char *s, const char *set)
{
    s += span(s, set, false);
    return *s ? (char *)s : NULL;
}

char *strstr(const char *s, const char *what)
{
    if (!*what)
        return (char *)s;
    for (; *s; s++) {
        if (*s != *what)
            continue;
        size_t i = 1;
        while (what[i] && s[i] == what[i])
            i++;
        if (!what[i])
            return (char *)s;
    }
    return NULL;
}

char *strcasestr(const char *s, const char *what)
{
    for (;; s++) {
        size_t i = 0;
        while (what[i] && tb_lower((unsigned char)s[i]) == tb_lower((unsigned char)what[i]))
            i++;
        if (!what[i])
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

INLINE char *next_token(char *s, const char *delimiters, char **rest)
{
    if (!s)
        s = *rest;
    s += span(s, delimiters, true);
    if (!*s) {
        *rest = s;
        return NULL;
    }
    char *end = s + span(s, delimiters, false);
    *rest = *end ? end + 1 : end;
    if (*end)
        *end = 0;
    return s;
}

char *strtok_r(char *restrict s, const char *restrict delimiters, char **restrict rest)
{
    return next_token(s, delimiters, rest);
}

char *__strtok_r(char *restrict s, const char *restrict delimiters, char **restrict rest)
{
    return next_token(s, delimiters, rest);
}

/* Not thread-safe by the standard: a race on `rest` is the program's, and is to be seen. */
char *strtok(char *restrict s, const char *restrict delimiters)
{
    static char *rest;
    return next_token(s, delimiters, &rest);
}

char *strsep(char **restrict s, const char *restrict delimiters)
{
    char *token = *s;
    if (!token)
        return NULL;
    char *end = token + span(token, delimiters, false);
    if (*end) {
        *end = 0;
        *s = end + 1;
    } else {
        *s = NULL;
    }
    return token;
}

INLINE char *duplicate(const char *s, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy) {
        tb_copy(copy, s, n);
        copy[n] = 0;
    }
    return copy;
}

char *strdup(const char *s) { return duplicate(s, tb_strlen(s)); }

char *__strdup(const char *s) { return duplicate(s, tb_strlen(s)); }

char *strndup(const char *s, size_t max) { return duplicate(s, tb_strnlen(s, max)); }

char *__strndup(const char *s, size_t max) { return duplicate(s, tb_strnlen(s, max)); }

/* Compares numbers inside of the strings by their value: file9 comes before file10. What starts with a 0 is taken for
 * the digits of a fraction, so that 1.05 comes before 1.5, and of two the one with more leading zeros is the smaller. */
int strverscmp(const char *a, const char *b)
{
    size_t i = 0, start = 0; /* of the digits that both have in front of where they differ */
    bool zeros = true;       /* those are all 0 */
    for (; a[i] == b[i]; i++) {
        if (!a[i])
            return 0;
        if (!tb_is_digit(a[i])) {
            start = i + 1;
            zeros = true;
        } else if (a[i] != '0') {
            zeros = false;
        }
    }
    int order = (unsigned char)a[i] - (unsigned char)b[i];
    bool digit_a = tb_is_digit(a[i]), digit_b = tb_is_digit(b[i]);
    if (tb_is_digit(a[start]) && a[start] != '0' && tb_is_digit(b[start]) && b[start] != '0') {
        /* Two whole numbers: the longer one is greater. */
        for (; tb_is_digit(a[i]) && tb_is_digit(b[i]); i++)
            ;
        if (tb_is_digit(a[i]) != tb_is_digit(b[i]))
            return tb_is_digit(a[i]) ? 1 : -1;
    } else if (zeros && start < i && digit_a != digit_b) {
        /* 00 before 0, 001 before 0a. */
        return digit_a ? -1 : 1;
    }
    return order;
}

int ffs(int bits) { return __builtin_ffs(bits); }

int ffsl(long bits) { return __builtin_ffsl(bits); }

int ffsll(long long bits) { return __builtin_ffsll(bits); }
