/* Descriptors of virtual files: open, read, write, lseek, close. What the standard ones do is in descriptor.c. */
#include "tb_file.h"

#include <unistd.h>

bool __tbi_threaded;
void __tbi_note_threads(void)
{
    if (!__tbi_threaded)
        __tbi_threaded = true;
}

struct tb_description *__tbi_descriptions[TB_MOST_DESCRIPTORS];
pthread_mutex_t __tbi_open_files;

/* A number belongs to whoever was given it: to close it while another thread uses it is a data race. */
struct tb_description *__tbi_description(int fd)
{
    if (fd >= 0 && fd < TB_MOST_DESCRIPTORS && __tbi_descriptions[fd])
        return __tbi_descriptions[fd];
    errno = EBADF;
    return NULL;
}

int __tbi_descriptor_for(struct tb_description *description, int least)
{
    for (int fd = least < 3 ? 3 : least; fd < TB_MOST_DESCRIPTORS; fd++)
        if (!__tbi_descriptions[fd]) {
            description->users++;
            __tbi_descriptions[fd] = description;
            return fd;
        }
    return tb_failure(EMFILE);
}

void __tbi_drop(struct tb_description *description)
{
    if (--description->users > 0)
        return;
    struct tb_node *node = description->node;
    if (node->kind == TB_PIPE)
        __tbi_pipe_closed(description);
    node->users--;
    __tbi_node_release(node);
    __tb_discard(description);
}

int __tbi_describe(struct tb_node *node, int flags)
{
    struct tb_description *description = __tb_malloc(sizeof *description, _Alignof(struct tb_description), TB_ZEROED);
    if (!description)
        return tb_failure(ENOMEM);
    description->node = node;
    description->access = flags & O_ACCMODE;
    description->flags = flags & (O_APPEND | O_NONBLOCK);
    node->users++;
    int fd = __tbi_descriptor_for(description, 0);
    if (fd < 0) {
        description->users = 1;
        __tbi_drop(description);
    }
    return fd;
}

int __tbi_fd_close(int fd)
{
    tb_enter(&__tbi_open_files);
    struct tb_description *description = __tbi_description(fd);
    if (description) {
        __tbi_descriptions[fd] = NULL;
        __tbi_drop(description);
    }
    tb_leave(&__tbi_open_files);
    return description ? 0 : -1;
}

/* ---- open ---- */

#define UMASK 022

static int permitted(const struct tb_node *node, int flags)
{
    unsigned wanted = (flags & O_ACCMODE) == O_RDONLY ? R_OK : (flags & O_ACCMODE) == O_WRONLY ? W_OK : R_OK | W_OK;
    if (flags & O_TRUNC)
        wanted |= W_OK;
    return (node->access & wanted) == wanted ? 0 : EACCES;
}

static int open_found(struct tb_found *found, int flags, mode_t mode)
{
    if (!found->node) {
        if (!(found->host.directory_access & W_OK))
            return tb_failure(EACCES);
        if (!(found->node = __tbi_make(found, mode & 0777 & ~UMASK)))
            return tb_failure(ENOMEM);
    } else {
        int error = permitted(found->node, flags);
        if (error)
            return tb_failure(error);
    }
    struct tb_node *node = found->node;
    if ((flags & O_TRUNC) && node->kind == TB_REGULAR) {
        tb_enter(&node->lock);
        int error = __tbi_node_resize(node, 0);
        tb_leave(&node->lock);
        if (error)
            return tb_failure(error);
    }
    return __tbi_describe(node, flags);
}

static int open_locked(const char *path, int flags, mode_t mode)
{
    struct tb_found found;
    bool missing;
    int error = __tbi_find(path, &found, &missing);
    if (error && !(missing && (flags & O_CREAT)))
        return tb_failure(error);
    if (!error && (flags & O_CREAT) && (flags & O_EXCL))
        return tb_failure(EEXIST);
    if (!error && !found.node) {
        if (S_ISDIR(found.host.mode) && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT)))
            return tb_failure(EISDIR);
        const char *what = S_ISDIR(found.host.mode) ? "open of a directory" : "open of a device, a socket or a named pipe";
        __tbi_refuse_file(what, path);
    }
    if (flags & O_DIRECTORY)
        return tb_failure(ENOTDIR);
    return open_found(&found, flags, mode);
}

int __tbi_open(const char *path, int flags, mode_t mode)
{
    if (flags & O_PATH || (flags & O_TMPFILE) == O_TMPFILE)
        __tb_unsupported("open with O_PATH or O_TMPFILE");
    tb_enter(&__tbi_open_files);
    int fd = open_locked(path, flags, mode);
    tb_leave(&__tbi_open_files);
    return fd;
}

#define MODE(flags)                                                                                                    \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & O_CREAT) {                                                                                           \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        mode = va_arg(list, mode_t);                                                                                   \
        va_end(list);                                                                                                  \
    }

static int open_here(const char *path, int flags, mode_t mode)
{
    tb_cancellation_point();
    return __tbi_open(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    MODE(flags)
    return open_here(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags)
    return open_here(path, flags, mode);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    if (directory != AT_FDCWD && path[0] != '/')
        __tb_unsupported("openat with a directory");
    return open_here(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    MODE(flags)
    return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    MODE(flags)
    return open_at(directory, path, flags, mode);
}

/* The fortified ones, for flags without a mode. */
TB_SECOND_NAME(int, __open_2, (const char *path, int flags), open_here(path, flags, 0))
TB_SECOND_NAME(int, __open64_2, (const char *path, int flags), open_here(path, flags, 0))

int creat(const char *path, mode_t mode) { return open_here(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_here(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* ---- read and write ---- */

/* The same in every execution: splitmix64, a word for each eight bytes. */
static void draw(struct tb_node *node, char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t z = (node->drawn / 8 + 1) * 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        to[i] = (char)((z ^ z >> 31) >> 8 * (node->drawn++ % 8));
    }
}

/* Of one that holds its bytes: a position of its own, or that of the description, which moves. */
static ssize_t read_bytes(struct tb_description *d, const struct iovec *parts, int count, const off_t *at)
{
    struct tb_node *node = d->node;
    size_t total = 0;
    tb_enter(&node->lock);
    off_t start = at ? *at : d->position;
    for (int i = 0; i < count; i++) {
        size_t n = parts[i].iov_len;
        if (node->kind == TB_REGULAR)
            n = __tbi_node_read(node, start + (off_t)total, parts[i].iov_base, n);
        else
            draw(node, parts[i].iov_base, n);
        total += n;
        if (n < parts[i].iov_len)
            break;
    }
    if (!at)
        d->position = start + (off_t)total;
    tb_leave(&node->lock);
    return (ssize_t)total;
}

static ssize_t write_bytes(struct tb_description *d, const struct iovec *parts, int count, const off_t *at)
{
    struct tb_node *node = d->node;
    size_t total = 0;
    int error = 0;
    tb_enter(&node->lock);
    /* As on Linux, where O_APPEND goes before pwrite's own position. */
    off_t start = d->flags & O_APPEND ? (off_t)node->length : at ? *at : d->position;
    for (int i = 0; i < count && !error; i++) {
        error = __tbi_node_write(node, start + (off_t)total, parts[i].iov_base, parts[i].iov_len);
        if (!error)
            total += parts[i].iov_len;
    }
    if (!at && total)
        d->position = start + (off_t)total;
    tb_leave(&node->lock);
    return error && !total ? tb_failure(error) : (ssize_t)total;
}

static size_t length_of(const struct iovec *parts, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++)
        total += parts[i].iov_len;
    return total;
}

ssize_t __tbi_fd_read(int fd, const struct iovec *parts, int count, const off_t *at)
{
    if (at && *at < 0)
        return tb_failure(EINVAL);
    struct tb_description *d = __tbi_description(fd);
    if (!d)
        return -1;
    if (!tb_reads(d))
        return tb_failure(EBADF);
    switch (d->node->kind) {
    case TB_REGULAR:
    case TB_RANDOM:
        return read_bytes(d, parts, count, at);
    case TB_NOTHING:
        return 0;
    case TB_ZEROS:
        for (int i = 0; i < count; i++)
            if (parts[i].iov_len)
                __tb_memset(parts[i].iov_base, 0, parts[i].iov_len);
        return (ssize_t)length_of(parts, count);
    case TB_CONSOLE:
        if (d->node->console != 0)
            return tb_failure(EBADF);
        __tb_hidden_state(stdin);
        return count && parts[0].iov_len ? __tb_read(0, parts[0].iov_base, parts[0].iov_len) : 0;
    case TB_PIPE:
        return at ? tb_failure(ESPIPE) : __tbi_pipe_read(d, parts, count);
    }
    return 0;
}

ssize_t __tbi_fd_write(int fd, const struct iovec *parts, int count, const off_t *at)
{
    if (at && *at < 0)
        return tb_failure(EINVAL);
    struct tb_description *d = __tbi_description(fd);
    if (!d)
        return -1;
    if (!tb_writes(d))
        return tb_failure(EBADF);
    switch (d->node->kind) {
    case TB_REGULAR:
        return write_bytes(d, parts, count, at);
    case TB_PIPE:
        return at ? tb_failure(ESPIPE) : __tbi_pipe_write(d, parts, count);
    case TB_CONSOLE:
        for (int i = 0; i < count; i++)
            if (parts[i].iov_len)
                __tb_write(d->node->console, parts[i].iov_base, parts[i].iov_len);
        break;
    case TB_NOTHING:
    case TB_ZEROS:
    case TB_RANDOM:
        break;
    }
    return (ssize_t)length_of(parts, count);
}

/* The standard descriptors have no position. */
static ssize_t without_position(int fd) { return tb_failure(fd >= 0 && fd <= 2 ? ESPIPE : EBADF); }

static bool is_plain(int fd) { return fd >= 0 && fd <= 2 && !__tbi_descriptions[fd]; }

static ssize_t read_at(int fd, void *to, size_t n, off_t at)
{
    tb_cancellation_point();
    return is_plain(fd) ? without_position(fd) : __tbi_fd_read(fd, &(struct iovec){to, n}, 1, &at);
}

static ssize_t read_at_checked(int fd, void *to, size_t n, off_t at, size_t object)
{
    if (n > object)
        __tbi_overflow_detected();
    return read_at(fd, to, n, at);
}

static ssize_t write_at(int fd, const void *from, size_t n, off_t at)
{
    tb_cancellation_point();
    return is_plain(fd) ? without_position(fd) : __tbi_fd_write(fd, &(struct iovec){(void *)from, n}, 1, &at);
}

ssize_t pread(int fd, void *to, size_t n, off_t at) { return read_at(fd, to, n, at); }
ssize_t pread64(int fd, void *to, size_t n, off_t at) { return read_at(fd, to, n, at); }
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { return write_at(fd, from, n, at); }
ssize_t pwrite64(int fd, const void *from, size_t n, off_t at) { return write_at(fd, from, n, at); }
TB_SECOND_NAME(ssize_t, __pread_chk, (int fd, void *to, size_t n, off_t at, size_t object),
               read_at_checked(fd, to, n, at, object))
TB_SECOND_NAME(ssize_t, __pread64_chk, (int fd, void *to, size_t n, off_t at, size_t object),
               read_at_checked(fd, to, n, at, object))

/* ---- positions and lengths ---- */

static off_t moved(struct tb_description *d, off_t offset, int whence)
{
    off_t start, target;
    switch (whence) {
    case SEEK_SET:
        start = 0;
        break;
    case SEEK_CUR:
        start = d->position;
        break;
    case SEEK_END:
        start = (off_t)d->node->length;
        break;
    default:
        return tb_failure(EINVAL);
    }
    if (__builtin_add_overflow(start, offset, &target) || target < 0)
        return tb_failure(EINVAL);
    return d->position = target;
}

off_t __tbi_seek(int fd, off_t offset, int whence)
{
    if (is_plain(fd))
        return without_position(fd);
    struct tb_description *d = __tbi_description(fd);
    if (!d)
        return -1;
    switch (d->node->kind) {
    case TB_PIPE:
    case TB_CONSOLE:
        return tb_failure(ESPIPE);
    case TB_NOTHING:
    case TB_ZEROS:
    case TB_RANDOM:
        return 0;
    case TB_REGULAR:
        break;
    }
    tb_enter(&d->node->lock);
    off_t result = moved(d, offset, whence);
    tb_leave(&d->node->lock);
    return result;
}

off_t lseek(int fd, off_t offset, int whence) { return __tbi_seek(fd, offset, whence); }
off_t lseek64(int fd, off_t offset, int whence) { return __tbi_seek(fd, offset, whence); }

static int resize(struct tb_node *node, off_t length)
{
    if (node->kind != TB_REGULAR)
        return tb_failure(EINVAL);
    tb_enter(&node->lock);
    int error = __tbi_node_resize(node, length);
    tb_leave(&node->lock);
    return error ? tb_failure(error) : 0;
}

static int truncate_open(int fd, off_t length)
{
    struct tb_description *d = is_plain(fd) ? NULL : __tbi_description(fd);
    if (!d)
        return is_plain(fd) ? tb_failure(EINVAL) : -1;
    return tb_writes(d) ? resize(d->node, length) : tb_failure(EINVAL);
}

int ftruncate(int fd, off_t length) { return truncate_open(fd, length); }
int ftruncate64(int fd, off_t length) { return truncate_open(fd, length); }

static int truncate_path(const char *path, off_t length)
{
    struct tb_found found;
    bool missing;
    tb_enter(&__tbi_open_files);
    int error = __tbi_find(path, &found, &missing);
    if (!error && !found.node)
        error = S_ISDIR(found.host.mode) ? EISDIR : EINVAL;
    if (!error)
        error = permitted(found.node, O_WRONLY);
    int result = error ? tb_failure(error) : resize(found.node, length);
    tb_leave(&__tbi_open_files);
    return result;
}

int truncate(const char *path, off_t length) { return truncate_path(path, length); }
int truncate64(const char *path, off_t length) { return truncate_path(path, length); }

/* There is no disk. */
static int synchronised(int fd)
{
    tb_cancellation_point();
    return is_plain(fd) ? tb_failure(EINVAL) : __tbi_description(fd) ? 0 : -1;
}
int fsync(int fd) { return synchronised(fd); }
int fdatasync(int fd) { return synchronised(fd); }
void sync(void) {}
