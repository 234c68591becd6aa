/* Pipes. A thread that reads from an empty one or writes to a full one waits, as others wait for conditions. */
#include "tb_file.h"

#include <signal.h>
#include <unistd.h>

#define CAPACITY 65536
/* Writes of no more are not mixed with others (PIPE_BUF). */
#define ATOMIC 4096

struct tunnel {
    struct tb_node node; /* with its bytes from `start` on, and as long as it says */
    size_t start;
    int readers, writers; /* descriptions */
    pthread_cond_t filled, drained;
};

static struct tunnel *tunnel_of(struct tb_description *d) { return (struct tunnel *)d->node; }

static int make_pipe(int ends[2], int flags)
{
    if (flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
        return tb_failure(EINVAL);
    if (flags & O_DIRECT)
        __tb_unsupported("pipe2 with O_DIRECT");
    tb_enter(&__tbi_open_files);
    struct tunnel *tunnel = (struct tunnel *)__tbi_node_new(TB_PIPE, "", sizeof *tunnel);
    int in = -1, out = -1;
    if (tunnel) {
        tunnel->node.mode = S_IFIFO | 0600;
        in = __tbi_describe(&tunnel->node, O_RDONLY | (flags & O_NONBLOCK));
        out = in < 0 ? -1 : __tbi_describe(&tunnel->node, O_WRONLY | (flags & O_NONBLOCK));
        tunnel->readers = tunnel->writers = 1;
    }
    tb_leave(&__tbi_open_files);
    if (out < 0)
        return -1;
    ends[0] = in;
    ends[1] = out;
    return 0;
}

int pipe(int ends[2]) { return make_pipe(ends, 0); }
int pipe2(int ends[2], int flags) { return make_pipe(ends, flags); }

/* Once a thread waits, the lock must be real: others come by then. */
static void wait_for(pthread_cond_t *what, struct tunnel *tunnel)
{
    if (!__tbi_threaded) {
        __tb_mutex_lock(&tunnel->node.lock);
        __tbi_note_threads();
    }
    if (__tb_cond_enter(what, &tunnel->node.lock))
        return;
    if (__tb_cond_leave(what, &tunnel->node.lock) < 0)
        __tbi_cancelled();
}

static size_t take(struct tunnel *tunnel, char *to, size_t n)
{
    if (n > tunnel->node.length)
        n = tunnel->node.length;
    tb_copy(to, tunnel->node.bytes + tunnel->start, n);
    tunnel->start += n;
    tunnel->node.length -= n;
    if (tunnel->node.length == 0)
        tunnel->start = 0;
    return n;
}

ssize_t __tbi_pipe_read(struct tb_description *d, const struct iovec *parts, int count)
{
    struct tunnel *tunnel = tunnel_of(d);
    size_t wanted = 0, got = 0;
    for (int i = 0; i < count; i++)
        wanted += parts[i].iov_len;
    if (wanted == 0)
        return 0;
    tb_enter(&tunnel->node.lock);
    while (tunnel->node.length == 0 && tunnel->writers && !(d->flags & O_NONBLOCK))
        wait_for(&tunnel->filled, tunnel);
    bool never = tunnel->node.length == 0 && tunnel->writers;
    for (int i = 0; i < count && tunnel->node.length; i++)
        got += take(tunnel, parts[i].iov_base, parts[i].iov_len);
    if (got && __tbi_threaded)
        __tb_cond_broadcast(&tunnel->drained);
    tb_leave(&tunnel->node.lock);
    return never ? tb_failure(EAGAIN) : (ssize_t)got;
}

/* The bytes begin at the start of their block, and it has room for so many more. */
static bool make_room(struct tunnel *tunnel, size_t n)
{
    struct tb_node *node = &tunnel->node;
    if (tunnel->start + node->length + n <= node->room)
        return true;
    size_t room = node->length + n < 64 ? 64 : 2 * (node->length + n);
    char *bytes = __tb_malloc(room, 1, 0);
    if (!bytes)
        return false;
    if (node->length)
        __tb_memcpy(bytes, node->bytes + tunnel->start, node->length);
    if (node->bytes)
        __tb_discard(node->bytes);
    node->bytes = bytes;
    node->room = room;
    tunnel->start = 0;
    return true;
}

/* As much as goes in: all that is short, or nothing; 0 while it must wait. */
static size_t put(struct tunnel *tunnel, const char *from, size_t n, bool together)
{
    struct tb_node *node = &tunnel->node;
    size_t fits = CAPACITY - node->length;
    if (together && fits < n)
        return 0;
    if (fits > n)
        fits = n;
    if (fits == 0 || !make_room(tunnel, fits))
        return 0;
    __tb_memcpy(node->bytes + tunnel->start + node->length, from, fits);
    node->length += fits;
    if (__tbi_threaded)
        __tb_cond_broadcast(&tunnel->filled);
    return fits;
}

/* One part; how much was written, and less if it would wait or nobody reads. The pipe is locked. */
static size_t write_part(struct tb_description *d, const char *from, size_t n)
{
    struct tunnel *tunnel = tunnel_of(d);
    size_t done = 0;
    while (done < n && tunnel->readers) {
        size_t written = put(tunnel, from + done, n - done, n <= ATOMIC);
        done += written;
        if (done < n && !written) {
            if (d->flags & O_NONBLOCK)
                break;
            wait_for(&tunnel->drained, tunnel);
        }
    }
    return done;
}

ssize_t __tbi_pipe_write(struct tb_description *d, const struct iovec *parts, int count)
{
    struct tunnel *tunnel = tunnel_of(d);
    size_t total = 0, done = 0;
    tb_enter(&tunnel->node.lock);
    for (int i = 0; i < count && done == total; i++) {
        total += parts[i].iov_len;
        done += write_part(d, parts[i].iov_base, parts[i].iov_len);
    }
    bool broken = tunnel->readers == 0;
    tb_leave(&tunnel->node.lock);
    if (done || total == 0)
        return (ssize_t)done;
    if (!broken)
        return tb_failure(EAGAIN);
    __tbi_raise(SIGPIPE);
    return tb_failure(EPIPE);
}

void __tbi_pipe_closed(struct tb_description *d)
{
    struct tunnel *tunnel = tunnel_of(d);
    tb_enter(&tunnel->node.lock);
    if (tb_reads(d))
        tunnel->readers--;
    else
        tunnel->writers--;
    if (__tbi_threaded) {
        __tb_cond_broadcast(&tunnel->filled);
        __tb_cond_broadcast(&tunnel->drained);
    }
    tb_leave(&tunnel->node.lock);
}
