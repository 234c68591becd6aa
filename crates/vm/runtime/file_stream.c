/* Streams of virtual files: fopen, fdopen, and what stdio.c, stdin.c and position.c ask of them. They keep back as much as
 * glibc's, so that who forgets to flush sees it here as well; at exit nothing is written, for nobody could see it. */
#include "tb_file.h"

#include <stdlib.h>
#include <unistd.h>

/* Room before what is read, so that ungetc always finds some; and what glibc reads and writes at once. */
#define PUSH_BACK 8
#define BLOCK 4096

/* What a stream has besides its FILE, which points to it with _codecvt. */
struct tb_stream_part {
    pthread_mutex_t lock;
    FILE *file;
    struct tb_stream_part *next;
    char *buffer;   /* what was read, behind room for ungetc; or what is to be written */
    size_t size;    /* of the buffer */
    size_t pending; /* so many bytes are to be written */
    int mode;       /* _IOFBF … */
    bool append;
    bool putting; /* the last thing that was done to it was to write */
    char push_back[PUSH_BACK];
};

/* src/opened.rs knows this. */
_Static_assert(offsetof(struct tb_stream_part, file) == 40 && offsetof(struct tb_stream_part, next) == 48, "a part");
_Static_assert(offsetof(FILE, _fileno) == 112 && TB_FILE_STREAM == -2, "a stream");

struct stream {
    FILE file;
    struct tb_stream_part part;
};

struct tb_stream_part *__tbi_streams;
/* As in glibc, this lock comes before those of streams. */
static pthread_mutex_t list;

static struct tb_stream_part *part_of(const FILE *file) { return (struct tb_stream_part *)file->_codecvt; }

void __tbi_file_lock(FILE *file) { tb_enter(&part_of(file)->lock); }
void __tbi_file_unlock(FILE *file) { tb_leave(&part_of(file)->lock); }

/* ---- opening ---- */

int __tbi_stream_flags(const char *mode)
{
    int flags;
    switch (mode[0]) {
    case 'r':
        flags = O_RDONLY;
        break;
    case 'w':
        flags = O_WRONLY | O_CREAT | O_TRUNC;
        break;
    case 'a':
        flags = O_WRONLY | O_CREAT | O_APPEND;
        break;
    default:
        return tb_failure(EINVAL);
    }
    for (int i = 1; i < 7 && mode[i] && mode[i] != ','; i++)
        switch (mode[i]) {
        case '+':
            flags = (flags & ~O_ACCMODE) | O_RDWR;
            break;
        case 'x':
            flags |= O_EXCL;
            break;
        case 'e':
            flags |= O_CLOEXEC;
            break;
        }
    return flags;
}

static void attach(FILE *file, struct tb_stream_part *part, int fd, int flags)
{
    part->file = file;
    part->mode = _IOFBF;
    part->size = BLOCK;
    part->append = flags & O_APPEND;
    part->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    /* What goes to the screen is not kept back: see stdio.c. */
    struct tb_description *description = __tbi_description(fd);
    if (description && description->node->kind == TB_CONSOLE)
        part->mode = _IONBF, part->size = 1;
    file->_codecvt = (void *)part;
    file->_lock = (void *)&part->lock;
    file->_fileno = TB_FILE_STREAM - fd;
    file->_flags = (flags & O_ACCMODE) == O_RDONLY ? TB_NO_WRITES : (flags & O_ACCMODE) == O_WRONLY ? TB_NO_READS : 0;
    file->_IO_read_base = part->push_back;
    file->_IO_read_ptr = file->_IO_read_end = part->push_back + PUSH_BACK;
    tb_enter(&list);
    part->next = __tbi_streams;
    __tbi_streams = part;
    tb_leave(&list);
}

bool __tbi_stream_attach(FILE *file, int fd, int flags)
{
    struct tb_stream_part *part = part_of(file);
    if (!part && !(part = __tb_malloc(sizeof *part, _Alignof(struct tb_stream_part), TB_ZEROED))) {
        errno = ENOMEM;
        return false;
    }
    attach(file, part, fd, flags);
    return true;
}

static FILE *new_stream(int fd, int flags)
{
    struct stream *stream = fd < 0 ? NULL : __tb_malloc(sizeof *stream, _Alignof(struct stream), TB_ZEROED);
    if (!stream)
        return NULL;
    attach(&stream->file, &stream->part, fd, flags);
    /* As in glibc: who only appends begins at the end. */
    if ((flags & O_APPEND) && (flags & O_ACCMODE) == O_WRONLY)
        __tbi_seek(fd, 0, SEEK_END);
    return &stream->file;
}

static FILE *open_stream(const char *path, const char *mode)
{
    tb_may_be_cancelled();
    int flags = __tbi_stream_flags(mode);
    return flags < 0 ? NULL : new_stream(__tbi_open(path, flags, 0666), flags);
}

FILE *fopen(const char *restrict path, const char *restrict mode) { return open_stream(path, mode); }
FILE *fopen64(const char *restrict path, const char *restrict mode) { return open_stream(path, mode); }

FILE *__tbi_stream_of(int fd, const char *mode)
{
    int flags = __tbi_stream_flags(mode);
    struct tb_description *description = flags < 0 ? NULL : __tbi_description(fd);
    if (!description)
        return NULL;
    int needs = flags & O_ACCMODE;
    if ((needs != O_WRONLY && !tb_reads(description)) || (needs != O_RDONLY && !tb_writes(description))) {
        errno = EINVAL;
        return NULL;
    }
    if (flags & O_APPEND) {
        tb_enter(&description->node->lock);
        description->flags |= O_APPEND;
        tb_leave(&description->node->lock);
    }
    return new_stream(fd, flags);
}

FILE *fdopen(int fd, const char *mode)
{
    if (fd >= 0 && fd <= 2 && !(__tbi_redirected && __tbi_redirected(fd)))
        __tb_unsupported("fdopen of a standard descriptor");
    return __tbi_stream_of(fd, mode);
}

/* ---- the buffer ---- */

/* The part of it that holds the bytes. */
static char *content(struct tb_stream_part *part)
{
    if (!part->buffer)
        part->buffer = __tb_malloc(PUSH_BACK + part->size, 16, 0);
    return part->buffer ? part->buffer + PUSH_BACK : NULL;
}

static size_t unread(const FILE *file) { return (size_t)(file->_IO_read_end - file->_IO_read_ptr); }

/* Nor is it written. */
static void forget_input(FILE *file)
{
    struct tb_stream_part *part = part_of(file);
    part->putting = false;
    file->_IO_read_base = part->push_back;
    file->_IO_read_ptr = file->_IO_read_end = part->push_back + PUSH_BACK;
}

/* The descriptor stands where the program does. */
static void give_back(FILE *file)
{
    int saved = errno;
    if (unread(file)) {
        __tbi_seek(tb_descriptor(file), -(off_t)unread(file), SEEK_CUR);
        forget_input(file);
    }
    errno = saved;
}

static int write_out(FILE *file, const char *from, size_t n)
{
    while (n) {
        ssize_t written = __tbi_fd_write(tb_descriptor(file), &(struct iovec){(void *)from, n}, 1, NULL);
        if (written <= 0) {
            file->_flags |= _IO_ERR_SEEN;
            return EOF;
        }
        from += written;
        n -= (size_t)written;
    }
    return 0;
}

static int flush(FILE *file)
{
    struct tb_stream_part *part = part_of(file);
    size_t n = part->pending;
    part->pending = 0;
    return n ? write_out(file, part->buffer + PUSH_BACK, n) : 0;
}

/* How long the lines are that are complete. */
static size_t up_to_last_line(const char *from, size_t n)
{
    while (n && from[n - 1] != '\n')
        n--;
    return n;
}

/* As glibc does it: fill the buffer, if something was written before; what does not fit goes out in whole blocks, and the rest is
 * kept. Of lines only the last is kept, if it is not complete. */
int __tbi_file_write(FILE *file, const char *from, size_t n)
{
    struct tb_stream_part *part = part_of(file);
    give_back(file);
    if (part->mode == _IONBF)
        return write_out(file, from, n);
    char *to = content(part);
    if (!to)
        return tb_failure(ENOMEM);
    bool lines = part->mode == _IOLBF;
    size_t room = part->putting ? part->size - part->pending : 0;
    size_t fits = room < n ? room : n, complete = lines && room >= n ? up_to_last_line(from, n) : 0;
    if (complete)
        fits = complete;
    tb_copy(to + part->pending, from, fits);
    part->pending += fits;
    from += fits;
    n -= fits;
    if (n == 0 && !complete)
        return 0;
    if (flush(file))
        return EOF;
    part->putting = true;
    size_t whole = part->size < 128 ? n : n - n % part->size;
    if (lines)
        whole += up_to_last_line(from + whole, n - whole);
    if (write_out(file, from, whole))
        return EOF;
    tb_copy(to, from + whole, n - whole);
    part->pending = n - whole;
    return 0;
}

int __tbi_file_refill(FILE *file)
{
    struct tb_stream_part *part = part_of(file);
    if (flush(file))
        return EOF;
    part->putting = false;
    char *to = content(part);
    ssize_t n = to ? __tbi_fd_read(tb_descriptor(file), &(struct iovec){to, part->size}, 1, NULL) : -1;
    if (n <= 0) {
        file->_flags |= n ? _IO_ERR_SEEN : _IO_EOF_SEEN;
        forget_input(file);
        return EOF;
    }
    file->_IO_read_base = part->buffer;
    file->_IO_read_ptr = to;
    file->_IO_read_end = to + n;
    return (unsigned char)*to;
}

ssize_t __tbi_file_read(FILE *file, char *to, size_t n)
{
    struct tb_stream_part *part = part_of(file);
    if (n < part->size || flush(file))
        return 0;
    if (part->size >= 128)
        n -= n % part->size;
    forget_input(file);
    ssize_t got = __tbi_fd_read(tb_descriptor(file), &(struct iovec){to, n}, 1, NULL);
    if (got > 0)
        return got;
    file->_flags |= got ? _IO_ERR_SEEN : _IO_EOF_SEEN;
    return -1;
}

int __tbi_file_flush(FILE *file)
{
    __tbi_file_lock(file);
    int result = flush(file);
    give_back(file);
    __tbi_file_unlock(file);
    return result;
}

void __tbi_file_flush_all(void)
{
    tb_enter(&list);
    for (struct tb_stream_part *part = __tbi_streams; part; part = part->next) {
        __tbi_file_lock(part->file);
        flush(part->file);
        __tbi_file_unlock(part->file);
    }
    tb_leave(&list);
}

int __tbi_file_buffer(FILE *file, int mode, size_t size)
{
    struct tb_stream_part *part = part_of(file);
    __tbi_file_lock(file);
    flush(file);
    give_back(file);
    if (part->buffer)
        __tb_discard(part->buffer);
    part->buffer = NULL;
    part->mode = mode;
    part->size = mode == _IONBF ? 1 : size ? size : BLOCK;
    __tbi_file_unlock(file);
    return 0;
}

int __tbi_stream_detach(FILE *file)
{
    struct tb_stream_part *part = part_of(file), **at = &__tbi_streams;
    int fd = tb_descriptor(file);
    __tbi_file_lock(file);
    int result = flush(file);
    give_back(file);
    if (part->buffer)
        __tb_discard(part->buffer);
    part->buffer = NULL;
    __tbi_file_unlock(file);
    tb_enter(&list);
    while (*at && *at != part)
        at = &(*at)->next;
    if (*at)
        *at = part->next;
    tb_leave(&list);
    return __tbi_fd_close(fd) ? EOF : result;
}

int __tbi_file_close(FILE *file)
{
    int result = __tbi_stream_detach(file);
    if (file != stdin && file != stdout && file != stderr)
        __tbi_free(file);
    return result;
}

/* ---- positions ---- */

off_t __tbi_file_tell(FILE *file)
{
    struct tb_stream_part *part = part_of(file);
    off_t position = __tbi_seek(tb_descriptor(file), 0, part->append && part->pending ? SEEK_END : SEEK_CUR);
    return position < 0 ? -1 : position + (off_t)part->pending - (off_t)unread(file);
}

int __tbi_file_seek(FILE *file, off_t offset, int whence)
{
    if (flush(file))
        return -1;
    off_t ahead = whence == SEEK_CUR ? (off_t)unread(file) : 0;
    if (__tbi_seek(tb_descriptor(file), offset - ahead, whence) < 0)
        return -1;
    forget_input(file);
    file->_flags &= ~_IO_EOF_SEEN;
    return 0;
}
