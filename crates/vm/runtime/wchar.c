/* Wide strings: the counterparts of <string.h> in <wchar.h>. */
#include "tb_internal.h"

#include <stdlib.h>
#include <wchar.h>

#define BYTES(n) ((n) * sizeof(wchar_t))

INLINE size_t wide_length(const wchar_t *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

INLINE size_t wide_length_max(const wchar_t *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

INLINE int compare(wchar_t a, wchar_t b) { return a < b ? -1 : a > b; }

wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    tb_copy(to, from, BYTES(n));
    return to;
}

wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    tb_copy(to, from, BYTES(n));
    return to + n;
}

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    if (n)
        __tb_memmove(to, from, BYTES(n));
    return to;
}

wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return compare(a[i], b[i]);
    return 0;
}

wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] == c)
            return (wchar_t *)s + i;
    return NULL;
}

size_t wcslen(const wchar_t *s) { return wide_length(s); }

size_t wcsnlen(const wchar_t *s, size_t max) { return wide_length_max(s, max); }

wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    __tb_memcpy(to, from, BYTES(wide_length(from) + 1));
    return to;
}

wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    size_t n = wide_length(from);
    __tb_memcpy(to, from, BYTES(n + 1));
    return to + n;
}

INLINE size_t copy_padded(wchar_t *to, const wchar_t *from, size_t size)
{
    size_t n = wide_length_max(from, size);
    tb_copy(to, from, BYTES(n));
    if (n < size)
        __tb_memset(to + n, 0, BYTES(size - n));
    return n;
}

wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
    copy_padded(to, from, size);
    return to;
}

wchar_t *wcpncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
    return to + copy_padded(to, from, size);
}

wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
    __tb_memcpy(to + wide_length(to), from, BYTES(wide_length(from) + 1));
    return to;
}

wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
    wchar_t *end = to + wide_length(to);
    size_t n = wide_length_max(from, size);
    tb_copy(end, from, BYTES(n));
    end[n] = 0;
    return to;
}

wchar_t *wcsdup(const wchar_t *s)
{
    size_t n = wide_length(s) + 1;
    wchar_t *copy = malloc(BYTES(n));
    if (copy)
        __tb_memcpy(copy, s, BYTES(n));
    return copy;
}

INLINE int compare_strings(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return compare(a[i], b[i]);
        if (!a[i])
            break;
    }
    return 0;
}

int wcscmp(const wchar_t *a, const wchar_t *b) { return compare_strings(a, b, SIZE_MAX); }
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) { return compare_strings(a, b, n); }
int wcscoll(const wchar_t *a, const wchar_t *b) { return compare_strings(a, b, SIZE_MAX); }

INLINE int compare_folded(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        wchar_t x = tb_lower(a[i]), y = tb_lower(b[i]);
        if (x != y)
            return (int)((unsigned)x - (unsigned)y);
        if (!a[i])
            break;
    }
    return 0;
}

int wcscasecmp(const wchar_t *a, const wchar_t *b) { return compare_folded(a, b, SIZE_MAX); }
int wcsncasecmp(const wchar_t *a, const wchar_t *b, size_t n) { return compare_folded(a, b, n); }

size_t wcsxfrm(wchar_t *restrict to, const wchar_t *restrict from, size_t size)
{
    size_t n = wide_length(from);
    if (size)
        tb_copy(to, from, BYTES(n < size ? n + 1 : size));
    return n;
}

INLINE wchar_t *find_or_end(const wchar_t *s, wchar_t c)
{
    while (*s && *s != c)
        s++;
    return (wchar_t *)s;
}

wchar_t *wcschrnul(const wchar_t *s, wchar_t c) { return find_or_end(s, c); }

wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
    wchar_t *p = find_or_end(s, c);
    return *p == c ? p : NULL;
}

wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
    const wchar_t *last = NULL;
    for (;; s++) {
        if (*s == c)
            last = s;
        if (!*s)
            return (wchar_t *)last;
    }
}

INLINE size_t span(const wchar_t *s, const wchar_t *set, bool inside)
{
    size_t n = 0;
    for (; s[n]; n++)
        if ((*find_or_end(set, s[n]) != 0) != inside)
            break;
    return n;
}

size_t wcsspn(const wchar_t *s, const wchar_t *set) { return span(s, set, true); }

size_t wcscspn(const wchar_t *s, const wchar_t *set) { return span(s, set, false); }

wchar_t *wcspbrk(const wchar_t *s, const wchar_t *set)
{
    s += span(s, set, false);
    return *s ? (wchar_t *)s : NULL;
}

INLINE wchar_t *find_string(const wchar_t *s, const wchar_t *what)
{
    for (;; s++) {
        size_t i = 0;
        while (what[i] && s[i] == what[i])
            i++;
        if (!what[i])
            return (wchar_t *)s;
        if (!*s)
            return NULL;
    }
}

wchar_t *wcsstr(const wchar_t *s, const wchar_t *what) { return find_string(s, what); }

wchar_t *wcswcs(const wchar_t *s, const wchar_t *what) { return find_string(s, what); }

wchar_t *wcstok(wchar_t *restrict s, const wchar_t *restrict delimiters, wchar_t **restrict rest)
{
    if (!s) {
        if (!*rest)
            return NULL;
        s = *rest;
    }
    s += span(s, delimiters, true);
    if (!*s) {
        *rest = NULL;
        return NULL;
    }
    wchar_t *end = s + span(s, delimiters, false);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = NULL;
    }
    return s;
}

/* ---- fortified: `object` is what the target has room for, in characters ---- */

INLINE void need(size_t count, size_t object)
{
    if (count > object)
        __tbi_overflow_detected();
}

wchar_t *__wmemcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t object)
{
    need(n, object);
    tb_copy(to, from, BYTES(n));
    return to;
}

wchar_t *__wmempcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t object)
{
    need(n, object);
    tb_copy(to, from, BYTES(n));
    return to + n;
}

wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t object)
{
    need(n, object);
    if (n)
        __tb_memmove(to, from, BYTES(n));
    return to;
}

wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t object)
{
    need(n, object);
    for (size_t i = 0; i < n; i++)
        to[i] = c;
    return to;
}

wchar_t *__wcscpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t object)
{
    size_t n = wide_length(from) + 1;
    need(n, object);
    __tb_memcpy(to, from, BYTES(n));
    return to;
}

wchar_t *__wcpcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t object)
{
    size_t n = wide_length(from);
    need(n + 1, object);
    __tb_memcpy(to, from, BYTES(n + 1));
    return to + n;
}

wchar_t *__wcsncpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size, size_t object)
{
    need(size, object);
    copy_padded(to, from, size);
    return to;
}

wchar_t *__wcpncpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size, size_t object)
{
    need(size, object);
    return to + copy_padded(to, from, size);
}

static wchar_t *append(wchar_t *to, const wchar_t *from, size_t n, size_t object)
{
    size_t used = wide_length_max(to, object);
    need(used + n + 1, object);
    tb_copy(to + used, from, BYTES(n));
    to[used + n] = 0;
    return to;
}

wchar_t *__wcscat_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t object)
{
    return append(to, from, wide_length(from), object);
}

wchar_t *__wcsncat_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t size, size_t object)
{
    return append(to, from, wide_length_max(from, size), object);
}
