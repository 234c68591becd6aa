/* The standard streams and output to them. The objects have glibc's layout, because its headers' inline functions look
 * into them; the write pointers stay NULL, so that an inline putc always comes to __overflow. */
#include "tb_internal.h"

#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

static FILE input = {._fileno = 0}, output = {._fileno = 1}, errors = {._fileno = 2};

FILE *stdin = &input;
FILE *stdout = &output;
FILE *stderr = &errors;

static long output_of(FILE *file)
{
    int fd = file->_fileno;
    if (fd == 1 || fd == 2)
        return fd;
    if (tb_is_own(file) && !(file->_flags & TB_NO_WRITES))
        return (long)file;
    file->_flags |= _IO_ERR_SEEN;
    errno = EBADF;
    return -1;
}

static long output_unlocked(FILE *file)
{
    tb_may_be_cancelled_in(file);
    return output_of(file);
}

long __tbi_output(FILE *file)
{
    tb_may_be_cancelled_in(file);
    if (!tb_is_own(file)) {
        tb_await_stream(file);
        return output_of(file);
    }
    tb_lock_own(file);
    long to = output_of(file);
    if (to < 0)
        tb_unlock_own(file);
    return to;
}

INLINE int write_byte(long to, int byte)
{
    char text = (char)byte;
    if (to < 0 || __tbi_write_all(to, &text, 1))
        return EOF;
    return (unsigned char)byte;
}

INLINE int write_text(long to, const char *text)
{
    return to < 0 || __tbi_write_all(to, text, tb_strlen(text)) ? EOF : 1;
}

INLINE int write_line(const char *text)
{
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    long to = __tbi_output(stdout);
    if (to < 0)
        return EOF;
    tb_sink_fd(&sink, to, buffer);
    tb_put(&sink, text, tb_strlen(text));
    tb_put_byte(&sink, '\n');
    int result = __tbi_sink_finish(&sink) ? EOF : (int)sink.total;
    tb_done(to);
    return result;
}

INLINE size_t write_items(const void *from, size_t size, size_t count, long to)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = SIZE_MAX;
    if (bytes == 0 || to < 0 || __tbi_write_all(to, from, bytes))
        return 0;
    return count;
}

INLINE int write_byte_to(FILE *file, int byte)
{
    long to = __tbi_output(file);
    int result = write_byte(to, byte);
    tb_done(to);
    return result;
}

int(fputc)(int byte, FILE *file) { return write_byte_to(file, byte); }
int(putc)(int byte, FILE *file) { return write_byte_to(file, byte); }
int(_IO_putc)(int byte, FILE *file) { return write_byte_to(file, byte); }
int(putchar)(int byte) { return write_byte_to(stdout, byte); }
int(fputc_unlocked)(int byte, FILE *file) { return write_byte(output_unlocked(file), byte); }
int(putc_unlocked)(int byte, FILE *file) { return write_byte(output_unlocked(file), byte); }
int(putchar_unlocked)(int byte) { return write_byte(output_unlocked(stdout), byte); }
int __overflow(FILE *file, int byte) { return write_byte(output_unlocked(file), byte); }

int fputs(const char *restrict text, FILE *restrict file)
{
    long to = __tbi_output(file);
    int result = write_text(to, text);
    tb_done(to);
    return result;
}
int fputs_unlocked(const char *restrict text, FILE *restrict file)
{
    return write_text(output_unlocked(file), text);
}

int puts(const char *text) { return write_line(text); }

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
    long to = __tbi_output(file);
    size_t written = write_items(from, size, count, to);
    tb_done(to);
    return written;
}

size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
    return write_items(from, size, count, output_unlocked(file));
}

void perror(const char *prefix)
{
    char buffer[TB_SINK_BUFFER], unknown[TB_ERROR_SIZE];
    const char *text = __tbi_error_message(errno, unknown);
    struct tb_sink sink;
    tb_may_be_cancelled_in(stderr);
    tb_await_stream(stderr);
    tb_sink_fd(&sink, 2, buffer);
    if (prefix && *prefix) {
        tb_put(&sink, prefix, tb_strlen(prefix));
        tb_put(&sink, ": ", 2);
    }
    tb_put(&sink, text, tb_strlen(text));
    tb_put_byte(&sink, '\n');
    __tbi_sink_finish(&sink);
}

/* Of standard output the runtime keeps nothing back, but the machine may: an empty write asks it to let everything out. */
int fflush(FILE *file)
{
    tb_may_be_cancelled_in(file ? file : stdout);
    if (file && tb_is_own(file))
        return TB_OWN(flush, file, file);
    if (!file && __tbi_file_flush_all)
        __tbi_file_flush_all();
    if (file != stdin)
        __tb_write(1, "", 0);
    return 0;
}

int fflush_unlocked(FILE *file)
{
    return fflush(file);
}

void _flushlbf(void) {}

size_t __fpending(FILE *file)
{
    (void)file;
    return 0;
}

/* Only streams of files have a buffer. It is never the program's. */
INLINE int set_buffer(FILE *file, int mode, size_t size)
{
    if (mode != _IOFBF && mode != _IOLBF && mode != _IONBF)
        return -1;
    return tb_is_file(file) ? __tbi_file_buffer(file, mode, size) : 0;
}

int setvbuf(FILE *restrict file, char *restrict buffer, int mode, size_t size)
{
    return set_buffer(file, mode, buffer ? size : 0);
}

void setbuf(FILE *restrict file, char *restrict buffer) { set_buffer(file, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void setbuffer(FILE *file, char *buffer, size_t size) { set_buffer(file, buffer ? _IOFBF : _IONBF, size); }
void setlinebuf(FILE *file) { set_buffer(file, _IOLBF, 0); }

/* Programs close the standard streams before they exit, to see a write error; there is none. */
int fclose(FILE *file)
{
    tb_may_be_cancelled_in(file);
    return tb_is_own(file) ? TB_OWN(close, file, file) : 0;
}

INLINE int descriptor_of(FILE *file)
{
    int fd = tb_descriptor(file);
    if (fd < 0)
        errno = EBADF;
    return fd;
}

int(fileno)(FILE *file) { return descriptor_of(file); }
int(fileno_unlocked)(FILE *file) { return descriptor_of(file); }

/* The flags of a stream change as it is read: locked functions look at them in a step of their own. */
INLINE void look_at(FILE *file)
{
    if (tb_is_own(file))
        tb_lock_own(file);
    else if (file == &input)
        __tb_hidden_state(file);
}

INLINE int flag_of(FILE *file, int flag)
{
    look_at(file);
    bool set = (file->_flags & flag) != 0;
    tb_read_done(file);
    return set;
}

int(feof)(FILE *file) { return flag_of(file, _IO_EOF_SEEN); }
int(ferror)(FILE *file) { return flag_of(file, _IO_ERR_SEEN); }
int(feof_unlocked)(FILE *file) { return (file->_flags & _IO_EOF_SEEN) != 0; }
int(ferror_unlocked)(FILE *file) { return (file->_flags & _IO_ERR_SEEN) != 0; }

INLINE void clear_flags(FILE *file)
{
    if (file->_flags & (_IO_EOF_SEEN | _IO_ERR_SEEN))
        file->_flags &= ~(_IO_EOF_SEEN | _IO_ERR_SEEN);
}

void(clearerr)(FILE *file)
{
    look_at(file);
    clear_flags(file);
    tb_read_done(file);
}

void(clearerr_unlocked)(FILE *file) { clear_flags(file); }
