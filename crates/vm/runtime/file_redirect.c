/* dup and its family, and freopen: a standard descriptor can become that of a file. Only programs that name one of these ask
 * of each standard descriptor where it leads. */
#include "tb_file.h"

#include <unistd.h>

struct tb_description *__tbi_redirected(int fd) { return __tbi_descriptions[fd]; }

/* The description of a standard descriptor that nobody has redirected. The table is locked. */
static struct tb_description *of_console(int fd)
{
    static struct tb_description *descriptions[3];
    if (!descriptions[fd]) {
        struct tb_node *node = __tbi_node_new(TB_CONSOLE, "", 0);
        struct tb_description *description = __tb_malloc(sizeof *description, 8, TB_ZEROED);
        if (!node || !description)
            return NULL;
        node->mode = S_IFIFO | 0600;
        node->console = fd;
        node->users = 1;
        *description = (struct tb_description){.node = node, .access = fd ? O_WRONLY : O_RDONLY, .users = 1};
        descriptions[fd] = description;
    }
    return descriptions[fd];
}

static struct tb_description *source_of(int fd)
{
    return fd >= 0 && fd <= 2 && !__tbi_descriptions[fd] ? of_console(fd) : __tbi_description(fd);
}

int __tbi_duplicate(int fd, int least)
{
    tb_enter(&__tbi_open_files);
    struct tb_description *description = source_of(fd);
    int copy = description ? __tbi_descriptor_for(description, least) : -1;
    tb_leave(&__tbi_open_files);
    return copy;
}

int dup(int fd) { return __tbi_duplicate(fd, 0); }

/* A standard stream follows its descriptor. What it had kept back goes where it belonged. */
static void follow(int fd)
{
    FILE *standard[] = {stdin, stdout, stderr};
    if (fd <= 2 && !tb_is_own(standard[fd]))
        __tbi_stream_attach(standard[fd], fd, fd ? O_WRONLY : O_RDONLY);
}

static int duplicate_to(int from, int to)
{
    tb_enter(&__tbi_open_files);
    struct tb_description *description = source_of(from);
    bool fits = to >= 0 && to < TB_MOST_DESCRIPTORS;
    if (description && fits && from != to) {
        description->users++;
        struct tb_description *before = __tbi_descriptions[to];
        __tbi_descriptions[to] = description;
        if (before)
            __tbi_drop(before);
    }
    tb_leave(&__tbi_open_files);
    if (!description || !fits)
        return tb_failure(EBADF);
    if (from != to)
        follow(to);
    return to;
}

int dup2(int from, int to) { return duplicate_to(from, to); }

int dup3(int from, int to, int flags)
{
    if (from == to || (flags & ~O_CLOEXEC))
        return tb_failure(EINVAL);
    return duplicate_to(from, to);
}

/* The stream keeps its descriptor, as far as it is a standard one. */
static FILE *reopen(const char *path, const char *mode, FILE *file)
{
    tb_may_be_cancelled();
    if (!path)
        __tb_unsupported("freopen without a path");
    if (file->_fileno == TB_MEMORY_STREAM)
        __tb_unsupported("freopen of a stream in memory");
    int flags = __tbi_stream_flags(mode), old = tb_descriptor(file);
    if (tb_is_file(file))
        __tbi_stream_detach(file);
    int fd = flags < 0 ? -1 : __tbi_open(path, flags, 0666);
    if (fd < 0)
        return NULL;
    if (old <= 2) {
        duplicate_to(fd, old);
        __tbi_fd_close(fd);
        fd = old;
    }
    return __tbi_stream_attach(file, fd, flags) ? file : NULL;
}

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict file)
{
    return reopen(path, mode, file);
}

FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict file)
{
    return reopen(path, mode, file);
}
