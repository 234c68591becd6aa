/* Characters and bytes in the C locale of glibc: ASCII, one byte a character, no state. Everything else is EILSEQ. */
#include "tb_internal.h"

#include <stdlib.h>
#include <uchar.h>
#include <wchar.h>

#define INVALID ((size_t)-1)
#define INCOMPLETE ((size_t)-2)

static size_t refuse(void)
{
    errno = EILSEQ;
    return INVALID;
}

/* The character at `from`, of which n bytes may be read: 0 for the final zero, 1, or an error. */
INLINE size_t decode(uint32_t *to, const char *from, size_t n)
{
    if (!from)
        return 0;
    if (n == 0)
        return INCOMPLETE;
    unsigned char byte = (unsigned char)*from;
    if (byte >= 0x80)
        return refuse();
    if (to)
        *to = byte;
    return byte != 0;
}

INLINE size_t encode(char *to, uint32_t c)
{
    if (!to)
        return 1;
    if (c >= 0x80)
        return refuse();
    *to = (char)c;
    return 1;
}

wint_t btowc(int byte) { return byte >= 0 && byte < 0x80 ? (wint_t)byte : WEOF; }

int wctob(wint_t c) { return c < 0x80 ? (int)c : EOF; }

int mbsinit(const mbstate_t *state) { return !state || state->__count == 0; }

size_t mbrtowc(wchar_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state)
{
    (void)state;
    return decode((uint32_t *)to, from, n);
}

size_t mbrlen(const char *restrict from, size_t n, mbstate_t *restrict state)
{
    (void)state;
    return decode(NULL, from, n);
}

size_t wcrtomb(char *restrict to, wchar_t c, mbstate_t *restrict state)
{
    (void)state;
    return encode(to, (uint32_t)c);
}

int mbtowc(wchar_t *restrict to, const char *restrict from, size_t n)
{
    return decode((uint32_t *)to, from, n) <= 1 ? from && *from : -1;
}

int mblen(const char *from, size_t n) { return decode(NULL, from, n) <= 1 ? from && *from : -1; }

int wctomb(char *to, wchar_t c) { return to ? (int)encode(to, (uint32_t)c) : 0; }

/* Converts up to `max` characters of at most `bytes` bytes. *from then is NULL after the final zero, else where the
 * conversion stopped; it stays as it was if there is no `to`. */
static size_t widen(wchar_t *to, const char **from, size_t bytes, size_t max)
{
    const char *p = *from;
    size_t n = 0;
    for (; n < bytes && (!to || n < max); n++) {
        unsigned char byte = (unsigned char)p[n];
        if (byte >= 0x80) {
            if (to)
                *from = p + n;
            return refuse();
        }
        if (to)
            to[n] = byte;
        if (!byte) {
            if (to)
                *from = NULL;
            return n;
        }
    }
    if (to)
        *from = p + n;
    return n;
}

static size_t narrow(char *to, const wchar_t **from, size_t characters, size_t max)
{
    const wchar_t *p = *from;
    size_t n = 0;
    for (; n < characters && (!to || n < max); n++) {
        uint32_t c = (uint32_t)p[n];
        if (c >= 0x80) {
            if (to)
                *from = p + n;
            return refuse();
        }
        if (to)
            to[n] = (char)c;
        if (!c) {
            if (to)
                *from = NULL;
            return n;
        }
    }
    if (to)
        *from = p + n;
    return n;
}

size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t max)
{
    const char *p = from;
    return widen(to, &p, SIZE_MAX, max);
}

size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t max)
{
    const wchar_t *p = from;
    return narrow(to, &p, SIZE_MAX, max);
}

size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t max, mbstate_t *restrict state)
{
    (void)state;
    return widen(to, from, SIZE_MAX, max);
}

size_t mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t max, mbstate_t *restrict state)
{
    (void)state;
    return widen(to, from, bytes, max);
}

size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t max, mbstate_t *restrict state)
{
    (void)state;
    return narrow(to, from, SIZE_MAX, max);
}

size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t characters, size_t max,
                  mbstate_t *restrict state)
{
    (void)state;
    return narrow(to, from, characters, max);
}

/* ---- fortified: `object` is what the target has room for, in its own units ---- */

INLINE void need(size_t count, size_t object)
{
    if (count > object)
        __tbi_overflow_detected();
}

size_t __wcrtomb_chk(char *restrict to, wchar_t c, mbstate_t *restrict state, size_t object)
{
    (void)state;
    need(1, object);
    return encode(to, (uint32_t)c);
}

int __wctomb_chk(char *to, wchar_t c, size_t object)
{
    need(1, object);
    return to ? (int)encode(to, (uint32_t)c) : 0;
}

size_t __mbstowcs_chk(wchar_t *restrict to, const char *restrict from, size_t max, size_t object)
{
    need(max, object);
    const char *p = from;
    return widen(to, &p, SIZE_MAX, max);
}

size_t __wcstombs_chk(char *restrict to, const wchar_t *restrict from, size_t max, size_t object)
{
    need(max, object);
    const wchar_t *p = from;
    return narrow(to, &p, SIZE_MAX, max);
}

size_t __mbsrtowcs_chk(wchar_t *restrict to, const char **restrict from, size_t max, mbstate_t *restrict state,
                       size_t object)
{
    (void)state;
    need(max, object);
    return widen(to, from, SIZE_MAX, max);
}

size_t __wcsrtombs_chk(char *restrict to, const wchar_t **restrict from, size_t max, mbstate_t *restrict state,
                       size_t object)
{
    (void)state;
    need(max, object);
    return narrow(to, from, SIZE_MAX, max);
}

/* ---- <uchar.h> ---- */

size_t mbrtoc16(char16_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state)
{
    (void)state;
    uint32_t c = 0;
    size_t length = decode(&c, from, n);
    if (to && length <= 1 && from)
        *to = (char16_t)c;
    return length;
}

size_t mbrtoc32(char32_t *restrict to, const char *restrict from, size_t n, mbstate_t *restrict state)
{
    (void)state;
    return decode(to, from, n);
}

size_t c16rtomb(char *restrict to, char16_t c, mbstate_t *restrict state)
{
    (void)state;
    return encode(to, c);
}

size_t c32rtomb(char *restrict to, char32_t c, mbstate_t *restrict state)
{
    (void)state;
    return encode(to, c);
}

/* The width in columns: a printing ASCII character has one. */
int wcwidth(wchar_t c) { return c == 0 ? 0 : c >= ' ' && c < 0x7f ? 1 : -1; }

int wcswidth(const wchar_t *s, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n && s[i]; i++) {
        if (s[i] < ' ' || s[i] >= 0x7f)
            return -1;
        columns++;
    }
    return columns;
}
