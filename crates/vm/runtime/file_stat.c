/* What is asked of virtual files: stat, access, fcntl. Times are those of the first moment. */
#include "tb_file.h"

#include <unistd.h>

/* The table is locked. */
static void tell_node(struct tb_node *node, struct stat *to)
{
    tb_enter(&node->lock);
    size_t length = node->kind == TB_REGULAR ? node->length : 0;
    tb_leave(&node->lock);
    *to = (struct stat){.st_dev = 1, .st_ino = node->number, .st_mode = node->mode, .st_uid = TB_USER, .st_gid = TB_USER};
    to->st_nlink = (nlink_t)node->names;
    to->st_size = (off_t)length;
    to->st_blksize = 4096;
    to->st_blocks = (blkcnt_t)(length + 511) / 512;
}

static int tell_path(const char *path, struct stat *to, bool follow)
{
    struct tb_found found;
    bool missing;
    tb_enter(&__tbi_open_files);
    int error = __tbi_find(path, &found, &missing);
    if (!error && !follow && found.entry && found.host.is_link)
        __tbi_refuse_file("lstat of a link", path);
    if (!error && found.node)
        tell_node(found.node, to);
    tb_leave(&__tbi_open_files);
    if (error)
        return tb_failure(error);
    if (!found.node) {
        *to = (struct stat){.st_dev = 1, .st_ino = 1, .st_mode = found.host.mode, .st_uid = TB_USER, .st_gid = TB_USER};
        to->st_nlink = 1;
        to->st_blksize = 4096;
    }
    return 0;
}

static int tell_descriptor(int fd, struct stat *to)
{
    if (fd >= 0 && fd <= 2 && !__tbi_descriptions[fd]) {
        *to = (struct stat){.st_dev = 1, .st_ino = 1, .st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_uid = TB_USER};
        to->st_gid = TB_USER;
        to->st_blksize = 4096;
        return 0;
    }
    struct tb_description *description = __tbi_description(fd);
    if (!description)
        return -1;
    tb_enter(&__tbi_open_files);
    tell_node(description->node, to);
    tb_leave(&__tbi_open_files);
    return 0;
}

static int tell_at(int directory, const char *path, struct stat *to, int flags)
{
    if (flags & AT_EMPTY_PATH && !path[0])
        return tell_descriptor(directory, to);
    if (directory != AT_FDCWD && path[0] != '/')
        __tb_unsupported("fstatat with a directory");
    return tell_path(path, to, !(flags & AT_SYMLINK_NOFOLLOW));
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout");

int stat(const char *restrict path, struct stat *restrict to) { return tell_path(path, to, true); }
int stat64(const char *restrict path, struct stat64 *restrict to) { return tell_path(path, (struct stat *)to, true); }
int lstat(const char *restrict path, struct stat *restrict to) { return tell_path(path, to, false); }
int lstat64(const char *restrict path, struct stat64 *restrict to) { return tell_path(path, (struct stat *)to, false); }
int fstat(int fd, struct stat *to) { return tell_descriptor(fd, to); }
int fstat64(int fd, struct stat64 *to) { return tell_descriptor(fd, (struct stat *)to); }

int fstatat(int directory, const char *restrict path, struct stat *restrict to, int flags)
{
    return tell_at(directory, path, to, flags);
}

int fstatat64(int directory, const char *restrict path, struct stat64 *restrict to, int flags)
{
    return tell_at(directory, path, (struct stat *)to, flags);
}

/* What headers of glibc before 2.33 call. */
TB_SECOND_NAME(int, __xstat, (int version, const char *path, struct stat *to), ((void)version, tell_path(path, to, true)))
TB_SECOND_NAME(int, __lxstat, (int version, const char *path, struct stat *to), ((void)version, tell_path(path, to, false)))
TB_SECOND_NAME(int, __fxstat, (int version, int fd, struct stat *to), ((void)version, tell_descriptor(fd, to)))

static int accessible(const char *path, int wanted)
{
    struct tb_found found;
    bool missing;
    tb_enter(&__tbi_open_files);
    int error = __tbi_find(path, &found, &missing);
    tb_leave(&__tbi_open_files);
    if (error)
        return tb_failure(error);
    unsigned has = found.node ? found.node->access : found.host.access;
    return ((unsigned)wanted & ~has) ? tb_failure(EACCES) : 0;
}

int access(const char *path, int wanted) { return accessible(path, wanted); }
int euidaccess(const char *path, int wanted) { return accessible(path, wanted); }
int eaccess(const char *path, int wanted) { return accessible(path, wanted); }

/* ---- fcntl ---- */

/* There is no exec: who sets the flag finds it set, and nothing else comes of it. */
static unsigned char close_on_exec[TB_MOST_DESCRIPTORS / 8];

static int status(struct tb_description *d, int command, int argument)
{
    int result = 0;
    tb_enter(&d->node->lock);
    if (command == F_SETFL)
        d->flags = argument & (O_APPEND | O_NONBLOCK);
    else
        result = d->access | d->flags;
    tb_leave(&d->node->lock);
    return result;
}

static int flags_of(int fd, int command, int argument)
{
    bool standard = fd >= 0 && fd <= 2 && !__tbi_descriptions[fd];
    struct tb_description *d = standard ? NULL : __tbi_description(fd);
    if (!d && !standard)
        return -1;
    unsigned char *byte = &close_on_exec[fd / 8];
    switch (command) {
    case F_GETFD:
        return *byte >> fd % 8 & 1;
    case F_SETFD:
        *byte = (unsigned char)((*byte & ~(1 << fd % 8)) | (argument & FD_CLOEXEC) << fd % 8);
        return 0;
    default:
        return d ? status(d, command, argument) : command == F_SETFL ? 0 : fd ? O_WRONLY : O_RDONLY;
    }
}

static int control(int fd, int command, int argument)
{
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
        if (argument < 0 || argument >= TB_MOST_DESCRIPTORS)
            return tb_failure(EINVAL);
        return __tbi_duplicate(fd, argument);
    }
    if (command != F_GETFD && command != F_SETFD && command != F_GETFL && command != F_SETFL)
        __tb_unsupported("fcntl with locks, leases, signals or sizes of pipes");
    tb_enter(&__tbi_open_files);
    int result = flags_of(fd, command, argument);
    tb_leave(&__tbi_open_files);
    return result;
}

#define ARGUMENT                                                                                                       \
    int argument = 0;                                                                                                  \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_SETFD || command == F_SETFL) {                \
        va_list list;                                                                                                  \
        va_start(list, command);                                                                                       \
        argument = va_arg(list, int);                                                                                  \
        va_end(list);                                                                                                  \
    }

int fcntl(int fd, int command, ...)
{
    ARGUMENT
    return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    ARGUMENT
    return control(fd, command, argument);
}
