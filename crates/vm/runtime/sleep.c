/* Sleeping: moves the clock, and is a cancellation point. */
#include "tb_internal.h"

#include "tb_cancel.h"
#include "tb_time.h"

#include <unistd.h>

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

static void sleep_for(uint64_t nanoseconds)
{
    __tb_sleep(nanoseconds);
    __tb_cancellation_point();
}

static bool valid(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (long)TB_SECOND;
}

/* A time of more than 500 years is cut to that: the clock has 64 bits. */
static uint64_t nanoseconds_of(const struct timespec *time)
{
    uint64_t limit = UINT64_MAX / TB_SECOND - 1, seconds = (uint64_t)time->tv_sec;
    return (seconds < limit ? seconds : limit) * TB_SECOND + (uint64_t)time->tv_nsec;
}

/* Until the clock shows that time, if it does not already. */
void __tbi_sleep_until(clockid_t clock, const struct timespec *time)
{
    uint64_t nanoseconds = time->tv_sec < 0 ? 0 : nanoseconds_of(time), origin = tb_origin(clock);
    __tb_sleep_until(nanoseconds > origin ? nanoseconds - origin : 0);
}

int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
    (void)remaining; /* nothing interrupts a sleep */
    if (!valid(duration))
        return invalid();
    sleep_for(nanoseconds_of(duration));
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *remaining)
{
    (void)remaining;
    if (!valid(time) || clock == CLOCK_THREAD_CPUTIME_ID)
        return EINVAL;
    if (!tb_origin(clock))
        return EINVAL;
    if (flags & TIMER_ABSTIME) {
        __tbi_sleep_until(clock, time);
        __tb_cancellation_point();
    } else {
        sleep_for(nanoseconds_of(time));
    }
    return 0;
}

unsigned sleep(unsigned seconds)
{
    sleep_for(seconds * TB_SECOND);
    return 0;
}

int usleep(__useconds_t microseconds)
{
    sleep_for(microseconds * 1000ull);
    return 0;
}
