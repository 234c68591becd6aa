/* Virtual files: what the files of the runtime that make them up share (file_*.c, pipe.c).
 *
 * A path leads to a node, which holds the bytes; an open description refers to a node and has a position; descriptors are
 * numbers of descriptions. All of it is memory of the execution. What nobody has written to is read from the machine, which
 * knows the bytes of the host's files as they were when they were first asked for; the host's files are never changed.
 *
 * Locks: the table guards names, descriptors and how often things are used; a node's guards its bytes and the positions
 * of its descriptions; a stream's guards its buffer. They are taken in the order streams, table, nodes. */
#ifndef TB_FILE_H
#define TB_FILE_H

#include "tb_pthread.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* As long as the program has one thread, which then is before all others, there is nobody to lock out. */
extern bool __tbi_threaded;
void __tbi_note_threads(void);
INLINE void tb_enter(pthread_mutex_t *lock)
{
    if (__tbi_threaded)
        __tb_mutex_lock(lock);
}
INLINE void tb_leave(pthread_mutex_t *lock)
{
    if (__tbi_threaded)
        __tb_mutex_unlock(lock);
}

/* Nothing is larger. */
#define TB_LARGEST_FILE (16 << 20)

enum tb_kind { TB_REGULAR, TB_NOTHING, TB_ZEROS, TB_RANDOM, TB_CONSOLE, TB_PIPE };

struct tb_node {
    enum tb_kind kind;
    mode_t mode;
    unsigned number;
    int names, users; /* entries of directories; descriptions */
    pthread_mutex_t lock;
    size_t length, room;
    char *bytes; /* its own, once somebody has written; before that those of the host's file of the name */
    unsigned access; /* R_OK | W_OK | X_OK */
    int console;
    uint64_t drawn; /* bytes of the random ones */
    char *name;
};

struct tb_description {
    struct tb_node *node;
    int access; /* O_RDONLY … */
    int users;  /* descriptors */
    int flags;  /* O_APPEND, O_NONBLOCK: by the node's lock, as the position is */
    off_t position;
};

INLINE bool tb_reads(const struct tb_description *d) { return d->access != O_WRONLY; }
INLINE bool tb_writes(const struct tb_description *d) { return d->access != O_RDONLY; }

INLINE int tb_failure(int error)
{
    errno = error;
    return -1;
}

/* ---- nodes (file_node.c) ---- */

struct tb_node *__tbi_node_new(enum tb_kind kind, const char *name, size_t size);
/* When neither a name nor a description leads there any more. The table is locked. */
void __tbi_node_release(struct tb_node *node);
/* Of a regular one, which is locked. The first gives the number of bytes, the others 0 or an errno value. */
size_t __tbi_node_read(struct tb_node *node, off_t at, void *to, size_t n);
int __tbi_node_write(struct tb_node *node, off_t at, const void *from, size_t n);
int __tbi_node_resize(struct tb_node *node, off_t length);

/* ---- names (file_name.c), with the table locked ---- */

/* In the order of the paths, so that it does not matter who came first. */
struct tb_name {
    struct tb_name *next;
    struct tb_node *node; /* NULL: removed */
    char path[];
};
extern struct tb_name *__tbi_names;

/* Where a path leads. */
struct tb_found {
    struct tb_node *node; /* NULL: there is none, and one could be made */
    struct tb_name *entry;
    struct tb_host_file host; /* what the machine says of the place */
};
/* 0, or an errno value; `missing` where the path could be that of a new file, but there is none. */
/* What is not supported, and for which file. */
_Noreturn void __tbi_refuse_file(const char *what, const char *path);
int __tbi_find(const char *path, struct tb_found *found, bool *missing);
/* A new file of that name. */
struct tb_node *__tbi_make(struct tb_found *found, mode_t mode);

/* ---- descriptors (file_table.c) ---- */

#define TB_MOST_DESCRIPTORS 1024
extern struct tb_description *__tbi_descriptions[TB_MOST_DESCRIPTORS];
extern pthread_mutex_t __tbi_open_files;
ssize_t __tbi_fd_read(int fd, const struct iovec *parts, int count, const off_t *at);
ssize_t __tbi_fd_write(int fd, const struct iovec *parts, int count, const off_t *at);
int __tbi_fd_close(int fd);

/* The lowest free descriptor that is not less than `least`, now for this description; -1 with errno. The table is locked. */
int __tbi_descriptor_for(struct tb_description *description, int least);
/* A description of a node, and a descriptor of it; -1 with errno. The table is locked. */
int __tbi_describe(struct tb_node *node, int flags);
/* The description of a descriptor, or NULL with errno. Standard descriptors that nobody has redirected have none. */
struct tb_description *__tbi_description(int fd);
void __tbi_drop(struct tb_description *description); /* the table is locked */
int __tbi_open(const char *path, int flags, mode_t mode);
off_t __tbi_seek(int fd, off_t offset, int whence);
/* The lowest free one that is not less than `least`, for the same as another; -1 with errno (file_redirect.c). */
int __tbi_duplicate(int fd, int least);
/* Standard descriptors, in programs that redirect some (file_redirect.c). */
__attribute__((weak)) struct tb_description *__tbi_redirected(int fd);

/* ---- pipes, in programs that have some (pipe.c) ---- */

__attribute__((weak)) ssize_t __tbi_pipe_read(struct tb_description *d, const struct iovec *parts, int count);
__attribute__((weak)) ssize_t __tbi_pipe_write(struct tb_description *d, const struct iovec *parts, int count);
/* Nobody has the description any more. */
__attribute__((weak)) void __tbi_pipe_closed(struct tb_description *d);

/* ---- streams (file_stream.c) ---- */

/* What belongs to a stream besides the FILE. */
struct tb_stream_part;
/* All of them: those that a program loses sight of are not lost. */
extern struct tb_stream_part *__tbi_streams;

/* The flags of open for a mode of fopen, or -1 with errno. */
int __tbi_stream_flags(const char *mode);
/* A stream of an open descriptor, or NULL with errno. */
FILE *__tbi_stream_of(int fd, const char *mode);
/* Makes a stream one of that descriptor. */
bool __tbi_stream_attach(FILE *file, int fd, int flags);
/* Writes what it has kept back and gives the descriptor up; the stream can be attached again. EOF with errno. */
int __tbi_stream_detach(FILE *file);

#endif
