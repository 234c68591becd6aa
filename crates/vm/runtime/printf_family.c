/* The public functions of the printf family: each chooses a sink for the engine in printf.c. The fortified ones
 * (__…_chk) know the size of the object that is written to and end the program when the text does not fit. */
#include "tb_internal.h"

#include <stdlib.h>

/* Runs `call`, an expression with the va_list `list`, over the arguments after `last`. */
#define WITH_LIST(last, call)                                                                                          \
    va_list list;                                                                                                      \
    va_start(list, last);                                                                                              \
    int result = call;                                                                                                 \
    va_end(list);                                                                                                      \
    return result

static int to_fd(long to, const char *format, va_list list)
{
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    tb_sink_fd(&sink, to, buffer);
    return __tbi_format(&sink, format, list);
}

static int to_stream(FILE *file, const char *format, va_list list)
{
    long to = __tbi_output(file);
    int n = to < 0 ? -1 : to_fd(to, format, list);
    tb_done(to);
    return n;
}

static int to_descriptor(int fd, const char *format, va_list list)
{
    tb_may_be_cancelled();
    if (fd == 1 || fd == 2)
        return to_fd(fd, format, list);
    errno = EBADF;
    return -1;
}

static int to_string(char *to, size_t size, const char *format, va_list list)
{
    struct tb_sink sink = {to, size ? size - 1 : 0, 0, to, size, SINK_STRING, -1, false};
    return __tbi_format(&sink, format, list);
}

static int to_object(char *to, size_t size, const char *format, va_list list)
{
    if (size == 0)
        __tbi_overflow_detected();
    struct tb_sink sink = {to, size - 1, 0, to, size, SINK_CHECKED, -1, false};
    return __tbi_format(&sink, format, list);
}

/* A string of exactly its size, so that running over its end is found. One that is too long for the local buffer is
 * formatted a second time instead of growing: a block that is freed on the way would be a visible operation. */
static int to_new_string(char **to, const char *format, va_list list)
{
    char buffer[TB_SINK_BUFFER];
    va_list again;
    va_copy(again, list);
    int length = to_string(buffer, sizeof buffer, format, list);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text && (size_t)length < sizeof buffer)
        __tb_memcpy(text, buffer, (size_t)length + 1);
    else if (text)
        to_string(text, (size_t)length + 1, format, again);
    va_end(again);
    if (!text)
        return -1;
    *to = text;
    return length;
}

int __tbi_snprintf(char *to, size_t size, const char *format, ...)
{
    WITH_LIST(format, to_string(to, size, format, list));
}

int vprintf(const char *restrict format, va_list list) { return to_stream(stdout, format, list); }

int vfprintf(FILE *restrict file, const char *restrict format, va_list list) { return to_stream(file, format, list); }

int vdprintf(int fd, const char *restrict format, va_list list) { return to_descriptor(fd, format, list); }

int vsprintf(char *restrict to, const char *restrict format, va_list list)
{
    return to_string(to, SIZE_MAX, format, list);
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list list)
{
    return to_string(to, size, format, list);
}

int vasprintf(char **restrict to, const char *restrict format, va_list list)
{
    return to_new_string(to, format, list);
}

int printf(const char *restrict format, ...) { WITH_LIST(format, to_stream(stdout, format, list)); }

int fprintf(FILE *restrict file, const char *restrict format, ...)
{
    WITH_LIST(format, to_stream(file, format, list));
}

int dprintf(int fd, const char *restrict format, ...) { WITH_LIST(format, to_descriptor(fd, format, list)); }

int sprintf(char *restrict to, const char *restrict format, ...)
{
    WITH_LIST(format, to_string(to, SIZE_MAX, format, list));
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    WITH_LIST(format, to_string(to, size, format, list));
}

int asprintf(char **restrict to, const char *restrict format, ...)
{
    WITH_LIST(format, to_new_string(to, format, list));
}

int __asprintf(char **restrict to, const char *restrict format, ...)
{
    WITH_LIST(format, to_new_string(to, format, list));
}

/* ---- fortified ---- */

int __vprintf_chk(int flag, const char *restrict format, va_list list)
{
    (void)flag;
    return to_stream(stdout, format, list);
}

int __vfprintf_chk(FILE *restrict file, int flag, const char *restrict format, va_list list)
{
    (void)flag;
    return to_stream(file, format, list);
}

int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list list)
{
    (void)flag;
    return to_descriptor(fd, format, list);
}

int __vsprintf_chk(char *restrict to, int flag, size_t object, const char *restrict format, va_list list)
{
    (void)flag;
    return to_object(to, object, format, list);
}

int __vsnprintf_chk(char *restrict to, size_t size, int flag, size_t object, const char *restrict format, va_list list)
{
    (void)flag;
    if (object < size)
        __tbi_overflow_detected();
    return to_string(to, size, format, list);
}

int __vasprintf_chk(char **restrict to, int flag, const char *restrict format, va_list list)
{
    (void)flag;
    return to_new_string(to, format, list);
}

int __printf_chk(int flag, const char *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_stream(stdout, format, list));
}

int __fprintf_chk(FILE *restrict file, int flag, const char *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_stream(file, format, list));
}

int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_descriptor(fd, format, list));
}

int __sprintf_chk(char *restrict to, int flag, size_t object, const char *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_object(to, object, format, list));
}

int __snprintf_chk(char *restrict to, size_t size, int flag, size_t object, const char *restrict format, ...)
{
    (void)flag;
    if (object < size)
        __tbi_overflow_detected();
    WITH_LIST(format, to_string(to, size, format, list));
}

int __asprintf_chk(char **restrict to, int flag, const char *restrict format, ...)
{
    (void)flag;
    WITH_LIST(format, to_new_string(to, format, list));
}
