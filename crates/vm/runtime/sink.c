/* Where formatted text goes. Text for a file descriptor is gathered in the caller's own buffer and written when the
 * call ends: threads that print share no state, so printing is never an event. */
#include "tb_internal.h"

int __tbi_write_all(long to, const char *from, size_t n)
{
    if (to > 2)
        return TB_OWN(write, (FILE *)to, (FILE *)to, from, n);
    while (n) {
        long written = __tb_write((int)to, from, n);
        if (written <= 0) {
            errno = EIO;
            return -1;
        }
        from += written;
        n -= (size_t)written;
    }
    return 0;
}

static void flush(struct tb_sink *sink)
{
    if (__tbi_write_all(sink->to, sink->start, (size_t)(sink->at - sink->start)))
        sink->failed = true;
    sink->at = sink->start;
    sink->room = sink->size;
}

/* Makes room for up to n bytes, and says for how many. */
static size_t make_room(struct tb_sink *sink, size_t n)
{
    switch (sink->kind) {
    case SINK_FD:
        flush(sink);
        break;
    case SINK_CHECKED:
        __tbi_overflow_detected();
    case SINK_STRING:
        break;
    }
    return n < sink->room ? n : sink->room;
}

static bool too_long(struct tb_sink *sink, size_t n)
{
    if (sink->total <= INT_MAX && n <= INT_MAX - sink->total)
        return false;
    if (!sink->failed)
        errno = EOVERFLOW;
    sink->failed = true;
    return true;
}

void __tbi_sink_put(struct tb_sink *sink, const char *from, size_t n)
{
    if (too_long(sink, n))
        return;
    sink->total += n;
    size_t fits = make_room(sink, n);
    if (fits < n && sink->kind == SINK_FD) {
        if (__tbi_write_all(sink->to, from, n))
            sink->failed = true;
        return;
    }
    if (!fits)
        return;
    __tb_memcpy(sink->at, from, fits);
    sink->at += fits;
    sink->room -= fits;
}

void __tbi_sink_pad(struct tb_sink *sink, int byte, size_t n)
{
    if (too_long(sink, n))
        return;
    sink->total += n;
    while (n) {
        size_t fits = n < sink->room ? n : sink->room;
        if (!fits && !(fits = make_room(sink, n)))
            return;
        __tb_memset(sink->at, byte, fits);
        sink->at += fits;
        sink->room -= fits;
        n -= fits;
    }
}

int __tbi_sink_finish(struct tb_sink *sink)
{
    if (sink->kind != SINK_FD) {
        if (sink->size)
            *sink->at = 0;
    } else if (sink->at != sink->start) {
        flush(sink);
    }
    return sink->failed ? -1 : 0;
}
