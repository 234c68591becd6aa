/* read, write and close: only the three standard descriptors exist. */
#include "tb_internal.h"

#include "tb_cancel.h"

#include <sys/uio.h>
#include <unistd.h>

#define MAX_PARTS 1024 /* what sysconf(_SC_IOV_MAX) says */

static int refuse(int error)
{
    errno = error;
    return -1;
}

ssize_t write(int fd, const void *from, size_t n)
{
    if (fd != 1 && fd != 2)
        return refuse(EBADF);
    return n ? __tb_write(fd, from, n) : 0;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (fd != 1 && fd != 2)
        return refuse(EBADF);
    if (count < 0 || count > MAX_PARTS)
        return refuse(EINVAL);
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
    if (fd >= 0 && fd <= 2)
        __tb_unsupported("close of a standard descriptor");
    return refuse(EBADF);
}

/* How far the input has been read is state that threads share. */
static ssize_t read_input(int fd, void *to, size_t n)
{
    if (fd != 0)
        return refuse(EBADF);
    __tb_hidden_state(stdin);
    ssize_t got = n ? __tb_read(0, to, n) : 0;
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
