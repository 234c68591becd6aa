/* What the files of the runtime share with each other and with nobody else.
 *
 * Every name that is linked across files starts with `__tbi_`. A program may define a library function of its own, and
 * its definition then wins over ours: the runtime therefore calls these helpers, not the public functions. */
#ifndef TB_INTERNAL_H
#define TB_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* The headers' inline versions of what we define here would only be in the way. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include "tb_cancel.h"
#include "tb_runtime.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* -O1 inlines nothing by itself; a call costs an interpreter more than the body of these. */
#define INLINE static inline __attribute__((always_inline))

INLINE bool tb_is_digit(int c) { return (unsigned)c - '0' < 10; }
INLINE bool tb_is_space(int c) { return c == ' ' || (unsigned)c - '\t' < 5; }
INLINE bool tb_is_upper(int c) { return (unsigned)c - 'A' < 26; }
INLINE bool tb_is_alpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
INLINE int tb_lower(int c) { return tb_is_upper(c) ? c + 32 : c; }

/* The value of a digit in any base up to 36; 99 for anything else. */
INLINE unsigned tb_digit_value(int c)
{
    if (tb_is_digit(c))
        return (unsigned)c - '0';
    return tb_is_alpha(c) ? ((unsigned)c | 32) - 'a' + 10 : 99;
}

INLINE size_t tb_strlen(const char *s)
{
    const char *p = s;
    while (*p)
        p++;
    return (size_t)(p - s);
}

INLINE size_t tb_strnlen(const char *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

/* The first such byte, or NULL. The final zero counts as one. */
INLINE const char *tb_strchr(const char *s, char byte)
{
    while (*s && *s != byte)
        s++;
    return *s == byte ? s : NULL;
}

INLINE int tb_strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return (unsigned char)*a - (unsigned char)*b;
}

/* A range of length 0 may come with any pointer. */
INLINE void tb_copy(void *to, const void *from, size_t n)
{
    if (n)
        __tb_memcpy(to, from, n);
}

/* Who the process is. */
#define TB_PROCESS 1000
#define TB_USER 1000
/* The processors that sysconf, get_nprocs and affinity masks speak of. */
#define TB_PROCESSORS 4

/* __tb_free is a visible operation: a function that works on hidden state frees only when it is done with that, and
 * what needs no memory of unknown size allocates none. */
/* Memory of the library's own with errno, as malloc would give it (malloc.c). What the program is to free comes from
 * `malloc`, which may be the program's. */
void *__tbi_alloc(size_t size);
void *__tbi_realloc(void *p, size_t size);
void __tbi_free(void *p);
/* strerror for every number. The longest unknown one is "Unknown error -2147483648". */
#define TB_ERROR_SIZE 32
const char *__tbi_error_message(int number, char buffer[TB_ERROR_SIZE]);
/* What a fortified function does when the object is too small (abort.c). */
_Noreturn void __tbi_overflow_detected(void);
/* End as exit and abort do, without asking a program's own functions of these names (exit.c, abort.c). */
_Noreturn void __tbi_exit(int status);
_Noreturn void __tbi_abort(void);
/* Calls a handler that the program has set for SIGABRT, and returns if that does (signal.c). */
void __tbi_raise_abort(void);
int __tbi_raise(int signal); /* raise */

/* Where formatted text goes (sink.c). `room` is what may still be put at `at`; when it runs out, `kind` says what
 * happens: a file descriptor (or memory stream) is written, a string is cut, a checked string aborts. */
enum tb_sink_kind { SINK_FD, SINK_STRING, SINK_CHECKED };

struct tb_sink {
    char *at;
    size_t room;
    size_t total; /* bytes that were asked for, also those that were cut */
    char *start;
    size_t size;
    enum tb_sink_kind kind;
    long to;
    bool failed;
};

#define TB_SINK_BUFFER 256

/* The slow path of tb_put: n > room. */
void __tbi_sink_put(struct tb_sink *sink, const char *from, size_t n);
void __tbi_sink_pad(struct tb_sink *sink, int byte, size_t n);
/* Hands the rest over; 0, or -1 with errno if anything failed. */
int __tbi_sink_finish(struct tb_sink *sink);
/* Writes all of a range; 0, or -1 with errno. */
int __tbi_write_all(long to, const char *from, size_t n);

INLINE void tb_sink_fd(struct tb_sink *sink, long to, char buffer[TB_SINK_BUFFER])
{
    *sink = (struct tb_sink){buffer, TB_SINK_BUFFER, 0, buffer, TB_SINK_BUFFER, SINK_FD, to, false};
}

INLINE void tb_put(struct tb_sink *sink, const char *from, size_t n)
{
    if (n == 0)
        return;
    if (n > sink->room) {
        __tbi_sink_put(sink, from, n);
        return;
    }
    __tb_memcpy(sink->at, from, n);
    sink->at += n;
    sink->room -= n;
    sink->total += n;
}

INLINE void tb_put_byte(struct tb_sink *sink, char byte)
{
    if (sink->room == 0) {
        __tbi_sink_put(sink, &byte, 1);
        return;
    }
    *sink->at++ = byte;
    sink->room--;
    sink->total++;
}

/* printf's engine (printf.c): the number of bytes, or -1 with errno. The second one leaves the sink open for more. */
int __tbi_format(struct tb_sink *sink, const char *format, va_list arguments);
void __tbi_format_into(struct tb_sink *sink, const char *format, va_list arguments);
/* snprintf that no program replaces. */
int __tbi_snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* One conversion of a format. */
struct tb_spec {
    int width;
    int precision;                /* -1: none given */
    int position;                 /* of the argument, from 1; 0 for the next one */
    int width_from, precision_from; /* a `*`: its argument's position, or -1 for the next one */
    unsigned char conversion;
    unsigned char length;
    bool minus, plus, space, alternate, zero;
    bool group; /* ' : the C locale groups nothing, but an unknown conversion is echoed with it */
    bool digits; /* I : the same */
};
/* Floating point (printf_float.c). */
void __tbi_format_double(struct tb_sink *sink, const struct tb_spec *spec, double value);
void __tbi_format_long_double(struct tb_sink *sink, const struct tb_spec *spec, long double value);

/* The seconds since 1970 of fields in UTC, which are brought into their ranges (calendar.c). */
struct tm;
int64_t __tbi_compose(struct tm *from, const char *zone);
/* getenv that no program replaces (env.c). */
char *__tbi_getenv(const char *name);

/* Numbers from text (strto.c, strto_float.c). Each returns where the number ends, the text itself if there is none. */
struct tb_integer {
    uint64_t value;
    const char *end;
};
/* The value of a signed type comes back sign-extended. `limit` is the type's maximum; errno is ERANGE beyond it. */
struct tb_integer __tbi_parse_integer(const char *text, int base, uint64_t limit, bool is_signed, bool binary);
double __tbi_parse_double(const char *text, const char **end);
float __tbi_parse_float(const char *text, const char **end);
long double __tbi_parse_long_double(const char *text, const char **end);

/* Where a stream writes to: the file descriptor 1 or 2, or the address of a stream of the program's own, which is then locked
 * until tb_done; -1 with errno for one that is only read. In one indivisible step with what follows (stdio.c). */
long __tbi_output(FILE *file);

/* Streams that the program opens: in memory (memstream.c), which have no file descriptor, and of files (file_stream.c). Each
 * has a lock. _fileno tells them from the three standard ones, and from each other. */
#define TB_MEMORY_STREAM (-1)
#define TB_FILE_STREAM (-2) /* less its descriptor */
INLINE bool tb_is_own(const FILE *file) { return file->_fileno < 0; }
INLINE bool tb_is_file(const FILE *file) { return file->_fileno <= TB_FILE_STREAM; }
INLINE int tb_descriptor(const FILE *file) { return tb_is_file(file) ? TB_FILE_STREAM - file->_fileno : file->_fileno; }
/* glibc's marks of streams that are only written, or only read. */
#define TB_NO_READS 4
#define TB_NO_WRITES 8

/* Only programs that open such streams have these. */
#define TB_OF_STREAMS(kind)                                                                                            \
    __attribute__((weak)) void __tbi_##kind##_lock(FILE *file);                                                        \
    __attribute__((weak)) void __tbi_##kind##_unlock(FILE *file);                                                      \
    __attribute__((weak)) int __tbi_##kind##_write(FILE *file, const char *from, size_t n);                            \
    __attribute__((weak)) int __tbi_##kind##_refill(FILE *file);                                                       \
    __attribute__((weak)) int __tbi_##kind##_flush(FILE *file);                                                        \
    __attribute__((weak)) int __tbi_##kind##_close(FILE *file);                                                        \
    __attribute__((weak)) off_t __tbi_##kind##_tell(FILE *file);                                                       \
    __attribute__((weak)) int __tbi_##kind##_seek(FILE *file, off_t offset, int whence);
TB_OF_STREAMS(memory)
TB_OF_STREAMS(file)
__attribute__((weak)) void __tbi_file_flush_all(void);
/* As glibc does it, a long read goes past the buffer, which is empty: how many bytes, -1 at the end, 0 if it is not long. */
__attribute__((weak)) ssize_t __tbi_file_read(FILE *file, char *to, size_t n);
__attribute__((weak)) int __tbi_file_buffer(FILE *file, int mode, size_t size);

/* What is done to a stream of either kind. */
#define TB_OWN(what, file, ...) (tb_is_file(file) ? __tbi_file_##what(__VA_ARGS__) : __tbi_memory_##what(__VA_ARGS__))
INLINE void tb_lock_own(FILE *file) { TB_OWN(lock, file, file); }
INLINE void tb_unlock_own(FILE *file) { TB_OWN(unlock, file, file); }

/* Streams of files and the standard ones write and read, and POSIX leaves open where. */
INLINE void tb_may_be_cancelled_in(const FILE *file)
{
    if (!tb_is_own(file) || tb_is_file(file))
        tb_may_be_cancelled();
}

/* Waits until no other thread holds the stream, in programs that lock streams (flockfile.c). */
__attribute__((weak)) void __tbi_await_stream(FILE *file);

/* Nothing more is written. */
INLINE void tb_done(long to)
{
    if (to > 2)
        tb_unlock_own((FILE *)to);
}

INLINE void tb_await_stream(FILE *file)
{
    if (__tbi_await_stream)
        __tbi_await_stream(file);
}

/* Input: a glibc FILE whose read pointers are in use, so that the header's inline getc works (stdin.c). __tbi_input gives it for
 * `file`, in one indivisible step with what follows, or locked until tb_read_done; NULL with errno if it cannot be read. */
FILE *__tbi_input(FILE *file);
INLINE void tb_read_done(FILE *file)
{
    if (file && tb_is_own(file))
        tb_unlock_own(file);
}
/* Fills the empty buffer: the next byte, not taken yet, or EOF. */
int __tbi_refill(FILE *file);

INLINE int tb_getc(FILE *file)
{
    if (file->_IO_read_ptr == file->_IO_read_end && __tbi_refill(file) == EOF)
        return EOF;
    return (unsigned char)*file->_IO_read_ptr++;
}

#endif
