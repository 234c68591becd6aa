/* Input: the standard one, and streams that the program opens. Of the standard one the state is the FILE object itself and the
 * buffer behind it: every function touches them in one step with __tb_hidden_state, but for the _unlocked ones, which are not
 * thread-safe in glibc either. Others have locks. */
#include "tb_internal.h"

#include <stdlib.h>

/* Room before the data, so that ungetc always finds some. */
#define PUSH_BACK 8
/* What glibc reads at once: a program that mixes read() and stdio sees the same. */
#define BLOCK 4096

static char buffer[PUSH_BACK + BLOCK];

INLINE FILE *open_for_reading(FILE *file)
{
    if (file->_fileno == 0 || (tb_is_own(file) && !(file->_flags & TB_NO_READS)))
        return file;
    file->_flags |= _IO_ERR_SEEN;
    errno = EBADF;
    return NULL;
}

FILE *__tbi_input(FILE *file)
{
    tb_may_be_cancelled_in(file);
    if (!tb_is_own(file)) {
        tb_await_stream(file);
        if (file->_fileno == 0)
            __tb_hidden_state(file);
        return open_for_reading(file);
    }
    tb_lock_own(file);
    FILE *open = open_for_reading(file);
    if (!open)
        tb_unlock_own(file);
    return open;
}

int __tbi_refill(FILE *file)
{
    if (file->_flags & _IO_EOF_SEEN)
        return EOF;
    if (tb_is_own(file))
        return TB_OWN(refill, file, file);
    long n = __tb_read(0, buffer + PUSH_BACK, BLOCK);
    if (n <= 0) {
        file->_flags |= n ? _IO_ERR_SEEN : _IO_EOF_SEEN;
        return EOF;
    }
    file->_IO_read_base = buffer;
    file->_IO_read_ptr = buffer + PUSH_BACK;
    file->_IO_read_end = buffer + PUSH_BACK + n;
    return (unsigned char)*file->_IO_read_ptr;
}

INLINE int read_byte(FILE *file)
{
    file = __tbi_input(file);
    int byte = file ? tb_getc(file) : EOF;
    tb_read_done(file);
    return byte;
}

INLINE FILE *input_unlocked(FILE *file)
{
    tb_may_be_cancelled_in(file);
    return open_for_reading(file);
}

INLINE int read_byte_unlocked(FILE *file)
{
    file = input_unlocked(file);
    return file ? tb_getc(file) : EOF;
}

int(fgetc)(FILE *file) { return read_byte(file); }
int(getc)(FILE *file) { return read_byte(file); }
int(_IO_getc)(FILE *file) { return read_byte(file); }
int(getchar)(void) { return read_byte(stdin); }
int(fgetc_unlocked)(FILE *file) { return read_byte_unlocked(file); }
int(getc_unlocked)(FILE *file) { return read_byte_unlocked(file); }
int(getchar_unlocked)(void) { return read_byte_unlocked(stdin); }

/* What the headers' inline functions call on an empty buffer: take the next byte, or only look at it. */
int __uflow(FILE *file) { return read_byte_unlocked(file); }

int __underflow(FILE *file)
{
    file = input_unlocked(file);
    if (!file)
        return EOF;
    if (file->_IO_read_ptr != file->_IO_read_end)
        return (unsigned char)*file->_IO_read_ptr;
    return __tbi_refill(file);
}

static int push_back(int byte, FILE *file)
{
    if (!file->_IO_read_ptr) {
        file->_IO_read_base = buffer;
        file->_IO_read_ptr = file->_IO_read_end = buffer + PUSH_BACK;
    }
    if (file->_IO_read_ptr == file->_IO_read_base)
        return EOF;
    *--file->_IO_read_ptr = (char)byte;
    file->_flags &= ~_IO_EOF_SEEN;
    return (unsigned char)byte;
}

int ungetc(int byte, FILE *file)
{
    if (byte == EOF || !__tbi_input(file))
        return EOF;
    int result = push_back(byte, file);
    tb_read_done(file);
    return result;
}

/* How many bytes are in the buffer up to and with `delimiter`, at most `max`. The buffer is filled if it is empty. */
static size_t available(FILE *file, int delimiter, size_t max, bool *found)
{
    if (file->_IO_read_ptr == file->_IO_read_end && __tbi_refill(file) == EOF)
        return 0;
    const char *p = file->_IO_read_ptr;
    size_t n = (size_t)(file->_IO_read_end - p);
    if (n > max)
        n = max;
    for (size_t i = 0; i < n; i++)
        if (p[i] == (char)delimiter) {
            *found = true;
            return i + 1;
        }
    return n;
}

static char *read_line(char *to, int size, FILE *file)
{
    if (size <= 0 || !file)
        return NULL;
    size_t length = 0, room = (size_t)size - 1;
    bool found = false;
    while (length < room && !found) {
        size_t n = available(file, '\n', room - length, &found);
        if (n == 0)
            break;
        __tb_memcpy(to + length, file->_IO_read_ptr, n);
        file->_IO_read_ptr += n;
        length += n;
    }
    if (length == 0 && room)
        return NULL;
    to[length] = 0;
    return to;
}

static char *read_line_locked(char *to, int size, FILE *file)
{
    file = __tbi_input(file);
    char *line = read_line(to, size, file);
    tb_read_done(file);
    return line;
}

char *fgets(char *restrict to, int size, FILE *restrict file) { return read_line_locked(to, size, file); }

char *fgets_unlocked(char *restrict to, int size, FILE *restrict file)
{
    return read_line(to, size, input_unlocked(file));
}

char *__fgets_chk(char *restrict to, size_t object, int size, FILE *restrict file)
{
    if (size > 0 && (size_t)size > object)
        __tbi_overflow_detected();
    return read_line_locked(to, size, file);
}

char *__fgets_unlocked_chk(char *restrict to, size_t object, int size, FILE *restrict file)
{
    if (size > 0 && (size_t)size > object)
        __tbi_overflow_detected();
    return read_line(to, size, input_unlocked(file));
}

/* At most `size` bytes with the final zero: a longer line ends the program. */
static char *read_whole_line(char *to, size_t size)
{
    FILE *file = __tbi_input(stdin);
    size_t length = 0;
    int byte = EOF;
    while (file && (byte = tb_getc(file)) != EOF && byte != '\n') {
        if (length + 1 >= size)
            __tbi_overflow_detected();
        to[length++] = (char)byte;
    }
    if (byte != EOF || length)
        to[length] = 0;
    tb_read_done(file);
    return byte == EOF && length == 0 ? NULL : to;
}

char *gets(char *to) { return read_whole_line(to, SIZE_MAX); }

char *__gets_chk(char *to, size_t object) { return read_whole_line(to, object); }

/* A string that grows. The blocks that it grows out of are kept until standard input is not used any more: freeing one
 * is a visible operation, after which another thread could take the rest of the line. */
struct growing {
    char *start;
    size_t length, size;
    char *outgrown[48];
    int count;
};

static bool make_room(struct growing *line, size_t n)
{
    size_t needed = line->length + n + 1;
    if (needed <= line->size)
        return true;
    size_t bigger = needed > 2 * line->size ? needed : 2 * line->size;
    char *moved = malloc(bigger);
    if (!moved)
        return false;
    tb_copy(moved, line->start, line->length);
    line->outgrown[line->count++] = line->start;
    line->start = moved;
    line->size = bigger;
    return true;
}

/* Appends what the buffer holds, up to the delimiter, until that is found; false without memory. */
static bool gather(struct growing *line, int delimiter, FILE *file)
{
    for (bool found = false; !found;) {
        size_t n = available(file, delimiter, SIZE_MAX, &found);
        if (n == 0)
            return true;
        if (!make_room(line, n))
            return false;
        __tb_memcpy(line->start + line->length, file->_IO_read_ptr, n);
        file->_IO_read_ptr += n;
        line->length += n;
    }
    return true;
}

static ssize_t read_delimited(char **to, size_t *size, int delimiter, FILE *file)
{
    if (!to || !size) {
        errno = EINVAL;
        return -1;
    }
    file = __tbi_input(file);
    if (!file)
        return -1;
    struct growing line = {.start = *to, .size = *to ? *size : 120};
    bool complete = (line.start || (line.start = malloc(line.size))) && gather(&line, delimiter, file);
    tb_read_done(file);
    if (!line.start)
        return -1;
    if (line.length)
        line.start[line.length] = 0;
    *to = line.start;
    *size = line.size;
    while (line.count)
        free(line.outgrown[--line.count]);
    return complete && line.length ? (ssize_t)line.length : -1;
}

ssize_t getdelim(char **restrict to, size_t *restrict size, int delimiter, FILE *restrict file)
{
    return read_delimited(to, size, delimiter, file);
}

ssize_t __getdelim(char **restrict to, size_t *restrict size, int delimiter, FILE *restrict file)
{
    return read_delimited(to, size, delimiter, file);
}

ssize_t getline(char **restrict to, size_t *restrict size, FILE *restrict file)
{
    return read_delimited(to, size, '\n', file);
}

static size_t read_items(char *to, size_t size, size_t count, FILE *file)
{
    size_t bytes, done = 0;
    if (__builtin_mul_overflow(size, count, &bytes))
        bytes = SIZE_MAX;
    if (!file || bytes == 0)
        return 0;
    while (done < bytes) {
        if (file->_IO_read_ptr == file->_IO_read_end) {
            ssize_t past = tb_is_file(file) ? __tbi_file_read(file, to + done, bytes - done) : 0;
            if (past < 0 || (past == 0 && __tbi_refill(file) == EOF))
                break;
            done += (size_t)past;
            if (past > 0)
                continue;
        }
        size_t n = (size_t)(file->_IO_read_end - file->_IO_read_ptr);
        if (n > bytes - done)
            n = bytes - done;
        __tb_memcpy(to + done, file->_IO_read_ptr, n);
        file->_IO_read_ptr += n;
        done += n;
    }
    return done / size;
}

static size_t read_items_locked(void *to, size_t size, size_t count, FILE *file)
{
    file = __tbi_input(file);
    size_t n = read_items(to, size, count, file);
    tb_read_done(file);
    return n;
}

size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file)
{
    return read_items_locked(to, size, count, file);
}

size_t fread_unlocked(void *restrict to, size_t size, size_t count, FILE *restrict file)
{
    return read_items(to, size, count, input_unlocked(file));
}

INLINE void need(size_t size, size_t count, size_t object)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, count, &bytes) || bytes > object)
        __tbi_overflow_detected();
}

size_t __fread_chk(void *restrict to, size_t object, size_t size, size_t count, FILE *restrict file)
{
    need(size, count, object);
    return read_items_locked(to, size, count, file);
}

size_t __fread_unlocked_chk(void *restrict to, size_t object, size_t size, size_t count, FILE *restrict file)
{
    need(size, count, object);
    return read_items(to, size, count, input_unlocked(file));
}
