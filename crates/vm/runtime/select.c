/* select and poll as what they are without descriptors: ways to sleep. */
#include "tb_internal.h"

#include <poll.h>
#include <sys/select.h>

static void sleep_for(uint64_t nanoseconds)
{
    __tb_sleep(nanoseconds);
    __tb_cancellation_point();
}

int select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict except,
           struct timeval *restrict timeout)
{
    if (count != 0 && (read || write || except))
        __tb_unsupported("select on descriptors");
    if (!timeout)
        __tb_unsupported("select without end");
    if (timeout->tv_sec < 0 || timeout->tv_usec < 0) {
        errno = EINVAL;
        return -1;
    }
    sleep_for((uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_usec * 1000);
    *timeout = (struct timeval){0, 0};
    return 0;
}

static int poll_nothing(nfds_t count, int milliseconds)
{
    if (count)
        __tb_unsupported("poll on descriptors");
    if (milliseconds < 0)
        __tb_unsupported("poll without end");
    sleep_for((uint64_t)milliseconds * 1000000);
    return 0;
}

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds)
{
    (void)descriptors;
    return poll_nothing(count, milliseconds);
}

int __poll_chk(struct pollfd *descriptors, nfds_t count, int milliseconds, size_t object)
{
    (void)descriptors;
    (void)object;
    return poll_nothing(count, milliseconds);
}
