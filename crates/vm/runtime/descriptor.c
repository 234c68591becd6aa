/* read, write and close: the three standard descriptors, and those of virtual files in programs that open some
 * (file_table.c). */
#include "tb_internal.h"

#include <sys/uio.h>
#include <unistd.h>

#define MAX_PARTS 1024 /* what sysconf(_SC_IOV_MAX) says */

struct tb_description;
__attribute__((weak)) ssize_t __tbi_fd_read(int fd, const struct iovec *parts, int count, const off_t *at);
__attribute__((weak)) ssize_t __tbi_fd_write(int fd, const struct iovec *parts, int count, const off_t *at);
__attribute__((weak)) int __tbi_fd_close(int fd);
__attribute__((weak)) struct tb_description *__tbi_redirected(int fd);

static int refuse(int error)
{
    errno = error;
    return -1;
}

INLINE bool is_file(int fd)
{
    return (unsigned)fd > 2 ? fd > 0 && __tbi_fd_read : __tbi_redirected && __tbi_redirected(fd);
}

ssize_t write(int fd, const void *from, size_t n)
{
    tb_cancellation_point();
    if (is_file(fd))
        return __tbi_fd_write(fd, &(struct iovec){(void *)from, n}, 1, NULL);
    if (fd != 1 && fd != 2)
        return refuse(EBADF);
    return n ? __tb_write(fd, from, n) : 0;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    tb_cancellation_point();
    if (count < 0 || count > MAX_PARTS)
        return refuse(EINVAL);
    if (is_file(fd))
        return __tbi_fd_write(fd, parts, count, NULL);
    if (fd != 1 && fd != 2)
        return refuse(EBADF);
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len && __tbi_write_all(fd, parts[i].iov_base, parts[i].iov_len))
            return -1;
        total += (ssize_t)parts[i].iov_len;
    }
    return total;
}

int close(int fd)
{
    tb_cancellation_point();
    if (is_file(fd))
        return __tbi_fd_close(fd);
    if (fd >= 0 && fd <= 2)
        __tb_unsupported("close of a standard descriptor");
    return refuse(EBADF);
}

/* How far the input has been read is state that threads share. */
static ssize_t read_input(int fd, void *to, size_t n)
{
    ssize_t got;
    if (is_file(fd)) {
        got = __tbi_fd_read(fd, &(struct iovec){to, n}, 1, NULL);
    } else {
        if (fd != 0)
            return refuse(EBADF);
        __tb_hidden_state(stdin);
        got = n ? __tb_read(0, to, n) : 0;
    }
    __tb_cancellation_point();
    return got;
}

ssize_t read(int fd, void *to, size_t n) { return read_input(fd, to, n); }

ssize_t __read_chk(int fd, void *to, size_t n, size_t object)
{
    if (n > object)
        __tbi_overflow_detected();
    return read_input(fd, to, n);
}

ssize_t readv(int fd, const struct iovec *parts, int count)
{
    tb_cancellation_point();
    if (count < 0 || count > MAX_PARTS)
        return refuse(EINVAL);
    if (is_file(fd))
        return __tbi_fd_read(fd, parts, count, NULL);
    return count ? read_input(fd, parts[0].iov_base, parts[0].iov_len) : 0;
}
