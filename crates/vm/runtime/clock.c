/* Virtual time. The machine's clock starts at 0 (__tb_clock tells when it moves); the clocks of the program are that clock
 * from a fixed origin, so that every execution can be repeated. */
#include "tb_internal.h"

#include "tb_time.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static int refuse(int error)
{
    errno = error;
    return -1;
}

INLINE struct timespec to_timespec(uint64_t nanoseconds)
{
    return (struct timespec){(time_t)(nanoseconds / TB_SECOND), (long)(nanoseconds % TB_SECOND)};
}

INLINE time_t current_time(void) { return (time_t)(tb_now(CLOCK_REALTIME) / TB_SECOND); }

int clock_gettime(clockid_t clock, struct timespec *to)
{
    if (!tb_origin(clock))
        return refuse(EINVAL);
    *to = to_timespec(tb_now(clock));
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *to)
{
    if (!tb_origin(clock))
        return refuse(EINVAL);
    bool coarse = clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
    if (to)
        *to = to_timespec(coarse ? 4000000 : 1);
    return 0;
}

int clock_settime(clockid_t clock, const struct timespec *from)
{
    (void)from;
    return refuse(clock == CLOCK_REALTIME ? EPERM : EINVAL);
}

int clock_getcpuclockid(pid_t process, clockid_t *clock)
{
    (void)process;
    *clock = CLOCK_PROCESS_CPUTIME_ID;
    return 0;
}

time_t time(time_t *to)
{
    time_t seconds = current_time();
    if (to)
        *to = seconds;
    return seconds;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    uint64_t time = tb_now(CLOCK_REALTIME);
    *to = (struct timeval){(time_t)(time / TB_SECOND), (suseconds_t)(time % TB_SECOND / 1000)};
    if (zone)
        *(struct timezone *)zone = (struct timezone){0, 0};
    return 0;
}

int settimeofday(const struct timeval *time, const struct timezone *zone)
{
    (void)time;
    (void)zone;
    return refuse(EPERM);
}

int timespec_get(struct timespec *to, int base)
{
    if (base != TIME_UTC)
        return 0;
    *to = to_timespec(tb_now(CLOCK_REALTIME));
    return base;
}

int timespec_getres(struct timespec *to, int base)
{
    if (base != TIME_UTC)
        return 0;
    if (to)
        *to = to_timespec(1);
    return base;
}

clock_t clock(void) { return (clock_t)(__tb_clock() / 1000); }

clock_t times(struct tms *to)
{
    clock_t ticks = (clock_t)(__tb_clock() / (TB_SECOND / 100));
    if (to)
        *to = (struct tms){.tms_utime = ticks};
    return (clock_t)(TB_MONOTONIC_ORIGIN / (TB_SECOND / 100)) + ticks;
}

int getrusage(__rusage_who_t who, struct rusage *to)
{
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
        return refuse(EINVAL);
    *to = (struct rusage){.ru_utime = {0, 0}};
    if (who != RUSAGE_CHILDREN) {
        uint64_t time = __tb_clock();
        to->ru_utime = (struct timeval){(time_t)(time / TB_SECOND), (suseconds_t)(time % TB_SECOND / 1000)};
    }
    return 0;
}

double difftime(time_t end, time_t start) { return (double)(end - start); }
