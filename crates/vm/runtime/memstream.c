/* Streams in memory: open_memstream, whose text grows, and fmemopen, over a buffer of the program. */
#include "tb_pthread.h"

#include <stdlib.h>

/* Room before what is read, so that ungetc always finds some; and how much is read at once. */
#define PUSH_BACK 8
#define BLOCK 256

struct stream {
    FILE file;
    pthread_mutex_t lock;
    char *text;
    size_t position, length, room; /* the length is for fmemopen */
    /* Of open_memstream: where the program wants to find its text, and blocks that the text has outgrown, each with the
     * address of the next in it. They are freed only when nothing is left to do. */
    char **text_to;
    size_t *length_to;
    char *outgrown;
    bool append, own_text;
    char input[PUSH_BACK + BLOCK];
};

static struct stream *new_stream(int flags)
{
    struct stream *stream = __tbi_alloc(sizeof *stream);
    if (!stream)
        return NULL;
    __tb_memset(stream, 0, sizeof *stream);
    stream->file._flags = flags;
    stream->file._fileno = TB_MEMORY_STREAM;
    stream->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    stream->file._lock = (void *)&stream->lock;
    stream->file._IO_read_base = stream->input;
    stream->file._IO_read_ptr = stream->file._IO_read_end = stream->input + PUSH_BACK;
    return stream;
}

/* ---- text that grows ---- */

/* Room for so many bytes and a zero. What was not written is zero. */
static bool make_room(struct stream *stream, size_t needed)
{
    if (needed < stream->room)
        return true;
    size_t bigger = needed + 1 > 2 * stream->room ? needed + 1 : 2 * stream->room;
    if (bigger < 64)
        bigger = 64;
    char *moved = malloc(bigger);
    if (!moved)
        return false;
    tb_copy(moved, stream->text, stream->room);
    __tb_memset(moved + stream->room, 0, bigger - stream->room);
    if (stream->text) {
        *(char **)stream->text = stream->outgrown;
        stream->outgrown = stream->text;
    }
    stream->text = moved;
    stream->room = bigger;
    return true;
}

FILE *open_memstream(char **text, size_t *length)
{
    struct stream *stream = new_stream(TB_NO_READS);
    if (!stream)
        return NULL;
    stream->text_to = text;
    stream->length_to = length;
    return &stream->file;
}

static bool write_growing(struct stream *stream, const char *from, size_t n)
{
    if (!make_room(stream, stream->position + n))
        return false;
    tb_copy(stream->text + stream->position, from, n);
    stream->position += n;
    return true;
}

/* As in glibc, the text ends at the position. Only at its close there is always a zero. */
static char *hand_over(struct stream *stream, bool close)
{
    if (!make_room(stream, stream->position))
        return NULL;
    if (close)
        stream->text[stream->position] = 0;
    *stream->text_to = stream->text;
    *stream->length_to = stream->position;
    char *outgrown = stream->outgrown;
    stream->outgrown = NULL;
    return outgrown;
}

static void free_outgrown(char *block)
{
    while (block) {
        char *next = *(char **)block;
        free(block);
        block = next;
    }
}

/* ---- a buffer of the program ---- */

FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
    bool update = mode[0] && (mode[1] == '+' || (mode[1] == 'b' && mode[2] == '+'));
    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') {
        errno = EINVAL;
        return NULL;
    }
    struct stream *stream = new_stream(update ? 0 : mode[0] == 'r' ? TB_NO_WRITES : TB_NO_READS);
    if (!stream)
        return NULL;
    stream->text = buffer;
    stream->room = size;
    if (!buffer) {
        stream->own_text = true;
        if (!(stream->text = __tbi_alloc(size ? size : 1))) {
            __tbi_free(stream);
            return NULL;
        }
        __tb_memset(stream->text, 0, size);
    } else if (mode[0] == 'w' && update && size) {
        stream->text[0] = 0;
    }
    if (mode[0] == 'r')
        stream->length = size;
    stream->append = mode[0] == 'a';
    if (stream->append)
        stream->position = stream->length = tb_strnlen(stream->text, size);
    return &stream->file;
}

/* As glibc does it: what does not fit is an error that is told when the stream is flushed; behind the text there is a zero,
 * if need be in the place of its last byte. */
static void write_fixed(struct stream *stream, const char *from, size_t n)
{
    bool zero = n == 0 || from[n - 1];
    size_t at = stream->append ? stream->length : stream->position;
    if (n > stream->room - at) {
        if (stream->position + zero >= stream->room) {
            stream->file._flags |= _IO_ERR_SEEN;
            return;
        }
        stream->file._flags |= _IO_ERR_SEEN;
        n = stream->room - at;
    }
    tb_copy(stream->text + at, from, n);
    stream->position = at + n;
    if (stream->position > stream->length) {
        stream->length = stream->position;
        if (stream->length < stream->room && zero)
            stream->text[stream->length] = 0;
        else if (!stream->append && zero)
            stream->text[stream->room - 1] = 0;
    }
}

/* ---- what other files call ---- */

void __tbi_memory_lock(FILE *file) { __tb_mutex_lock(&((struct stream *)file)->lock); }
void __tbi_memory_unlock(FILE *file) { __tb_mutex_unlock(&((struct stream *)file)->lock); }

int __tbi_memory_write(FILE *file, const char *from, size_t n)
{
    struct stream *stream = (struct stream *)file;
    if (!stream->text_to) {
        write_fixed(stream, from, n);
        return 0;
    }
    return write_growing(stream, from, n) ? 0 : -1;
}

int __tbi_memory_refill(FILE *file)
{
    struct stream *stream = (struct stream *)file;
    size_t n = stream->position < stream->length ? stream->length - stream->position : 0;
    if (n > BLOCK)
        n = BLOCK;
    if (n == 0) {
        file->_flags |= _IO_EOF_SEEN;
        return EOF;
    }
    file->_IO_read_ptr = stream->input + PUSH_BACK;
    file->_IO_read_end = file->_IO_read_ptr + n;
    tb_copy(file->_IO_read_ptr, stream->text + stream->position, n);
    stream->position += n;
    return (unsigned char)*file->_IO_read_ptr;
}

static int failed(FILE *file)
{
    if (!(file->_flags & _IO_ERR_SEEN) || (file->_flags & TB_NO_WRITES))
        return 0;
    errno = ENOSPC;
    return EOF;
}

static int flush(FILE *file, bool close)
{
    struct stream *stream = (struct stream *)file;
    __tbi_memory_lock(file);
    int result = failed(file);
    char *outgrown = stream->text_to ? hand_over(stream, close) : NULL;
    __tbi_memory_unlock(file);
    free_outgrown(outgrown);
    return result;
}

int __tbi_memory_flush(FILE *file) { return flush(file, false); }

int __tbi_memory_close(FILE *file)
{
    struct stream *stream = (struct stream *)file;
    int result = flush(file, true);
    if (stream->own_text)
        __tbi_free(stream->text);
    __tbi_free(stream);
    return result;
}

/* ---- positions ---- */

static long position_of(struct stream *stream)
{
    return (long)stream->position - (stream->file._IO_read_end - stream->file._IO_read_ptr);
}

off_t __tbi_memory_tell(FILE *file) { return position_of((struct stream *)file); }

int __tbi_memory_seek(FILE *file, off_t offset, int whence)
{
    struct stream *stream = (struct stream *)file;
    long end = (long)(stream->text_to ? stream->position : stream->length);
    long start = whence == SEEK_CUR ? position_of(stream) : whence == SEEK_END ? end : 0;
    long target;
    bool beyond = __builtin_add_overflow(start, offset, &target) || target < 0 ||
                  (!stream->text_to && (size_t)target > stream->room);
    if (beyond || (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)) {
        errno = EINVAL;
        return -1;
    }
    stream->position = (size_t)target;
    stream->file._IO_read_ptr = stream->file._IO_read_end = stream->input + PUSH_BACK;
    stream->file._flags &= ~_IO_EOF_SEEN;
    return 0;
}
