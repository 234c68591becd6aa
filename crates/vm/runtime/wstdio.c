/* Wide output and wide numbers. In the C locale a wide character is a byte or nothing, so a wide format is made narrow
 * and the work is done by the functions for bytes. */
#include "tb_internal.h"

#include <inttypes.h>
#include <wchar.h>

/* A narrow copy of a wide string, in the caller's buffer if it is short. */
#define LOCAL 256

struct narrow {
    char *text; /* NULL with errno if there is no memory */
    bool complete; /* all of it, not only what comes before the first character that is no byte */
    char local[LOCAL];
};

static void make_narrow(struct narrow *copy, const wchar_t *wide)
{
    size_t n = 0;
    while (wide[n] && (uint32_t)wide[n] < 0x80)
        n++;
    copy->complete = !wide[n];
    copy->text = n < LOCAL ? copy->local : __tbi_alloc(n + 1);
    if (!copy->text)
        return;
    for (size_t i = 0; i < n; i++)
        copy->text[i] = (char)wide[i];
    copy->text[n] = 0;
}

/* The same for a string that must be bytes throughout. */
static bool make_all_narrow(struct narrow *copy, const wchar_t *wide)
{
    make_narrow(copy, wide);
    if (copy->text && copy->complete)
        return true;
    if (copy->text)
        errno = EILSEQ;
    return false;
}

/* Freeing is a visible operation: most strings are short and need none. */
static void release(struct narrow *copy)
{
    if (copy->text != copy->local)
        __tbi_free(copy->text);
}

/* ---- output ---- */

static int to_fd(long to, const wchar_t *format, va_list list)
{
    struct narrow copy;
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    int n = -1;
    tb_sink_fd(&sink, to, buffer);
    if (make_all_narrow(&copy, format))
        n = __tbi_format(&sink, copy.text, list);
    release(&copy);
    return n;
}

static int to_stream(FILE *file, const wchar_t *format, va_list list)
{
    long to = __tbi_output(file);
    int n = to < 0 ? -1 : to_fd(to, format, list);
    tb_done(to);
    return n;
}

/* Formats into bytes and widens them. A text that does not fit is cut, and the call fails. */
static int format_wide(wchar_t *to, size_t size, char *text, const char *format, va_list list)
{
    struct tb_sink sink = {text, size - 1, 0, text, size, SINK_STRING, -1, false};
    int n = __tbi_format(&sink, format, list);
    size_t used = n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
    for (size_t i = 0; i < used; i++)
        to[i] = (unsigned char)text[i];
    to[used] = 0;
    return n >= 0 && (size_t)n >= size ? -1 : n;
}

static int to_string(wchar_t *to, size_t size, const wchar_t *format, va_list list)
{
    if (size == 0 || size > INT_MAX)
        return -1;
    struct narrow copy;
    char local[LOCAL], *text = size <= LOCAL ? local : __tbi_alloc(size);
    int n = -1;
    if (make_all_narrow(&copy, format) && text)
        n = format_wide(to, size, text, copy.text, list);
    release(&copy);
    if (text != local)
        __tbi_free(text);
    return n;
}

#define WITH_LIST(last, call)                                                                                          \
    va_list list;                                                                                                      \
    va_start(list, last);                                                                                              \
    int result = call;                                                                                                 \
    va_end(list);                                                                                                      \
    return result

int vwprintf(const wchar_t *restrict format, va_list list) { return to_stream(stdout, format, list); }

int vfwprintf(FILE *restrict file, const wchar_t *restrict format, va_list list)
{
    return to_stream(file, format, list);
}

int vswprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, va_list list)
{
    return to_string(to, size, format, list);
}

int wprintf(const wchar_t *restrict format, ...) { WITH_LIST(format, to_stream(stdout, format, list)); }

int fwprintf(FILE *restrict file, const wchar_t *restrict format, ...)
{
    WITH_LIST(format, to_stream(file, format, list));
}

int swprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, ...)
{
    WITH_LIST(format, to_string(to, size, format, list));
}

/* ---- fortified ---- */

int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list list)
{
    (void)flag;
    return to_stream(stdout, format, list);
}

int __vfwprintf_chk(FILE *restrict file, int flag, const wchar_t *restrict format, va_list list)
{
    (void)flag;
    return to_stream(file, format, list);
}

int __vswprintf_chk(wchar_t *restrict to, size_t size, int flag, size_t object, const wchar_t *restrict format,
                    va_list list)
{
    (void)flag;
    if (object < size)
        __tbi_overflow_detected();
    return to_string(to, size, format, list);
}

int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_stream(stdout, format, list));
}

int __fwprintf_chk(FILE *restrict file, int flag, const wchar_t *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_stream(file, format, list));
}

int __swprintf_chk(wchar_t *restrict to, size_t size, int flag, size_t object, const wchar_t *restrict format, ...)
{
    (void)flag;
    if (object < size)
        __tbi_overflow_detected();
    WITH_LIST(format, to_string(to, size, format, list));
}

/* ---- characters ---- */

INLINE wint_t put_wide(wchar_t c, FILE *file)
{
    char byte = (char)c;
    if ((uint32_t)c >= 0x80) {
        errno = EILSEQ;
        return WEOF;
    }
    long to = __tbi_output(file);
    bool written = to > 0 && !__tbi_write_all(to, &byte, 1);
    tb_done(to);
    return written ? (wint_t)c : WEOF;
}

wint_t fputwc(wchar_t c, FILE *file) { return put_wide(c, file); }
wint_t putwc(wchar_t c, FILE *file) { return put_wide(c, file); }
wint_t putwchar(wchar_t c) { return put_wide(c, stdout); }

int fputws(const wchar_t *restrict text, FILE *restrict file)
{
    int result = -1;
    long to = __tbi_output(file);
    if (to < 0)
        return -1;
    struct narrow copy;
    if (make_all_narrow(&copy, text) && !__tbi_write_all(to, copy.text, tb_strlen(copy.text)))
        result = 1;
    release(&copy);
    tb_done(to);
    return result;
}

/* Streams have no orientation here. */
int fwide(FILE *file, int mode)
{
    (void)file;
    return mode;
}

/* ---- numbers ---- */

/* Defines a function that parses a narrow copy: `parse` is an expression of `copy` that sets `end` and gives a value.
 * Newer headers rename some of them: the symbol is said, and the name is only for the compiler. */
#define NUMBER(type, name, parameters, parse)                                                                          \
    type tb_##name parameters __asm__(#name);                                                                          \
    type tb_##name parameters                                                                                          \
    {                                                                                                                  \
        struct narrow narrow;                                                                                          \
        make_narrow(&narrow, text);                                                                                    \
        const char *copy = narrow.text, *end;                                                                          \
        if (!copy)                                                                                                     \
            return 0;                                                                                                  \
        type value = parse;                                                                                            \
        if (to_end)                                                                                                    \
            *to_end = (wchar_t *)text + (end - copy);                                                                  \
        release(&narrow);                                                                                              \
        return value;                                                                                                  \
    }

static uint64_t integer(const char *copy, const char **end, int base, uint64_t limit, bool is_signed)
{
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        *end = copy;
        return 0;
    }
    struct tb_integer number = __tbi_parse_integer(copy, base, limit, is_signed, false);
    *end = number.end;
    return number.value;
}

#define TEXT (const wchar_t *restrict text, wchar_t **restrict to_end)
#define TEXT_AND_BASE (const wchar_t *restrict text, wchar_t **restrict to_end, int base)

NUMBER(long, wcstol, TEXT_AND_BASE, (long)integer(copy, &end, base, LONG_MAX, true))
NUMBER(long long, wcstoll, TEXT_AND_BASE, (long long)integer(copy, &end, base, LLONG_MAX, true))
NUMBER(intmax_t, wcstoimax, TEXT_AND_BASE, (intmax_t)integer(copy, &end, base, INTMAX_MAX, true))
NUMBER(unsigned long, wcstoul, TEXT_AND_BASE, integer(copy, &end, base, ULONG_MAX, false))
NUMBER(unsigned long long, wcstoull, TEXT_AND_BASE, integer(copy, &end, base, ULLONG_MAX, false))
NUMBER(uintmax_t, wcstoumax, TEXT_AND_BASE, integer(copy, &end, base, UINTMAX_MAX, false))
NUMBER(double, wcstod, TEXT, __tbi_parse_double(copy, &end))
NUMBER(float, wcstof, TEXT, __tbi_parse_float(copy, &end))
NUMBER(long double, wcstold, TEXT, __tbi_parse_long_double(copy, &end))
