/* Sleeping: moves the clock, and is a cancellation point. */
#include "tb_internal.h"

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

/* Until the clock shows that time, if it does not already. */
void __tbi_sleep_until(clockid_t clock, const struct timespec *time)
{
    __tb_sleep_until(tb_due(clock, time));
}

int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
    (void)remaining; /* nothing interrupts a sleep */
    if (!valid(duration))
        return invalid();
    sleep_for(tb_nanoseconds(duration));
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
        sleep_for(tb_nanoseconds(time));
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
