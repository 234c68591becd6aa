/* What the headers and the compiler put in the place of the string functions that a program names with
 * _FORTIFY_SOURCE. Such a function knows the size of the object and ends the program when that is too small. */
#include "tb_internal.h"

#include <string.h>

INLINE void need(size_t bytes, size_t object)
{
    if (bytes > object)
        __tbi_overflow_detected();
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t object)
{
    need(n, object);
    tb_copy(to, from, n);
    return to;
}

void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t object)
{
    need(n, object);
    tb_copy(to, from, n);
    return (char *)to + n;
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t object)
{
    need(n, object);
    if (n)
        __tb_memmove(to, from, n);
    return to;
}

void *__memset_chk(void *to, int byte, size_t n, size_t object)
{
    need(n, object);
    if (n)
        __tb_memset(to, byte, n);
    return to;
}

void __explicit_bzero_chk(void *to, size_t n, size_t object)
{
    need(n, object);
    if (n)
        __tb_memset(to, 0, n);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t object)
{
    size_t n = tb_strlen(from) + 1;
    need(n, object);
    __tb_memcpy(to, from, n);
    return to;
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t object)
{
    size_t n = tb_strlen(from);
    need(n + 1, object);
    __tb_memcpy(to, from, n + 1);
    return to + n;
}

/* Copies a string cut to `size` and fills with zeros; the length that was copied. */
INLINE size_t copy_padded(char *to, const char *from, size_t size, size_t object)
{
    need(size, object);
    size_t n = tb_strnlen(from, size);
    tb_copy(to, from, n);
    if (n < size)
        __tb_memset(to + n, 0, size - n);
    return n;
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t object)
{
    copy_padded(to, from, size, object);
    return to;
}

char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t object)
{
    return to + copy_padded(to, from, size, object);
}

INLINE char *append(char *to, const char *from, size_t n, size_t object)
{
    size_t used = tb_strnlen(to, object);
    need(used + n + 1, object);
    tb_copy(to + used, from, n);
    to[used + n] = 0;
    return to;
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t object)
{
    return append(to, from, tb_strlen(from), object);
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t size, size_t object)
{
    return append(to, from, tb_strnlen(from, size), object);
}
