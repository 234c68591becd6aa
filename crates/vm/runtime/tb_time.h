/* The program's clocks (clock.c, sleep.c). */
#ifndef TB_TIME_H
#define TB_TIME_H

#include "tb_internal.h"

#include <time.h>

#define TB_SECOND 1000000000ull
/* 2026-01-01T00:00:00Z; the monotonic clock starts at something that is not zero. */
#define TB_REALTIME_ORIGIN (1767225600 * TB_SECOND)
#define TB_MONOTONIC_ORIGIN (1000 * TB_SECOND)

/* What a clock showed at the start, in nanoseconds; 0 for a clock that does not exist. Processor time is taken to be real
 * time: it must move on for a program that waits by it. */
INLINE uint64_t tb_origin(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return TB_REALTIME_ORIGIN;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return TB_MONOTONIC_ORIGIN;
    default:
        return 0;
    }
}

/* A time of more than 500 years is cut to that: the machine's clock has 64 bits. */
INLINE uint64_t tb_nanoseconds(const struct timespec *time)
{
    uint64_t limit = UINT64_MAX / TB_SECOND - 1, seconds = (uint64_t)time->tv_sec;
    return (seconds < limit ? seconds : limit) * TB_SECOND + (uint64_t)time->tv_nsec;
}

/* What the machine's clock shows when one of the program's shows that time; 0 if it has done so before the start. */
INLINE uint64_t tb_due(clockid_t clock, const struct timespec *time)
{
    uint64_t nanoseconds = time->tv_sec < 0 ? 0 : tb_nanoseconds(time), origin = tb_origin(clock);
    return nanoseconds > origin ? nanoseconds - origin : 0;
}

/* What a clock that exists shows. */
INLINE uint64_t tb_now(clockid_t clock) { return tb_origin(clock) + __tb_clock(); }

#endif
