/* Scheduling: the machine explores every schedule, so that policies, priorities and processors change nothing. They are
 * answered as an ordinary user on a small machine would see them. */
#include "tb_attr.h"

int sched_yield(void)
{
    __tb_yield();
    return 0;
}

/* The header turns pthread_yield into sched_yield; older objects still ask for it. */
int old_pthread_yield(void) __asm__("pthread_yield");
int old_pthread_yield(void)
{
    __tb_yield();
    return 0;
}

static int failed(int error)
{
    errno = error;
    return -1;
}

int sched_get_priority_min(int policy)
{
    if (!tb_policy_is_valid(policy))
        return failed(EINVAL);
    return tb_policy_needs_privilege(policy) ? 1 : 0;
}

int sched_get_priority_max(int policy)
{
    if (!tb_policy_is_valid(policy))
        return failed(EINVAL);
    return tb_policy_needs_privilege(policy) ? 99 : 0;
}

/* 0, EINVAL or EPERM: what setting this policy with this priority comes to. */
static int try_policy(int policy, int priority)
{
    if (tb_policy_needs_privilege(policy))
        return priority < 1 || priority > 99 ? EINVAL : EPERM;
    return tb_policy_is_ordinary(policy) && priority == 0 ? 0 : EINVAL;
}

int sched_setscheduler(pid_t process, int policy, const struct sched_param *param)
{
    (void)process;
    int error = try_policy(policy, param->sched_priority);
    return error ? failed(error) : 0;
}

int sched_getscheduler(pid_t process)
{
    (void)process;
    return SCHED_OTHER;
}

int sched_setparam(pid_t process, const struct sched_param *param)
{
    return sched_setscheduler(process, SCHED_OTHER, param);
}

int sched_getparam(pid_t process, struct sched_param *param)
{
    (void)process;
    param->sched_priority = 0;
    return 0;
}

int sched_rr_get_interval(pid_t process, struct timespec *interval)
{
    (void)process;
    interval->tv_sec = 0;
    interval->tv_nsec = 4000000;
    return 0;
}

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
    (void)thread;
    return try_policy(policy, param->sched_priority);
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
    (void)thread;
    *policy = SCHED_OTHER;
    param->sched_priority = 0;
    return 0;
}

int pthread_setschedprio(pthread_t thread, int priority)
{
    (void)thread;
    return try_policy(SCHED_OTHER, priority);
}

static int concurrency;

int pthread_setconcurrency(int level)
{
    if (level < 0)
        return EINVAL;
    __tb_hidden_state(&concurrency);
    concurrency = level;
    return 0;
}

int pthread_getconcurrency(void)
{
    __tb_hidden_state(&concurrency);
    return concurrency;
}

/* ---- processors ---- */

int sched_getcpu(void) { return 0; }

int getcpu(unsigned *processor, unsigned *node)
{
    if (processor)
        *processor = 0;
    if (node)
        *node = 0;
    return 0;
}

/* A mask must name a processor that there is; which one does not matter. */
static int check_mask(size_t size, const cpu_set_t *set)
{
    return size >= 1 && (*(const unsigned char *)set & ((1 << TB_PROCESSORS) - 1)) ? 0 : EINVAL;
}

static int get_mask(size_t size, cpu_set_t *set)
{
    if (size < sizeof(__cpu_mask) || size % sizeof(__cpu_mask))
        return EINVAL;
    __tb_memset(set, 0, size);
    set->__bits[0] = (1 << TB_PROCESSORS) - 1;
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    (void)process;
    int error = check_mask(size, set);
    return error ? failed(error) : 0;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    int error = get_mask(size, set);
    return error ? failed(error) : 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    (void)thread;
    return check_mask(size, set);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    (void)thread;
    return get_mask(size, set);
}

int pthread_attr_setaffinity_np(pthread_attr_t *attr, size_t size, const cpu_set_t *set)
{
    (void)attr;
    return size ? check_mask(size, set) : 0; /* an empty mask takes back what was set */
}

int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size, cpu_set_t *set)
{
    (void)attr;
    return get_mask(size, set);
}

/* What the macros CPU_COUNT, CPU_ALLOC and CPU_FREE call. */
int __sched_cpucount(size_t size, const cpu_set_t *set)
{
    const unsigned char *bytes = (const unsigned char *)set;
    int count = 0;
    for (size_t i = 0; i < size; i++)
        for (unsigned byte = bytes[i]; byte; byte &= byte - 1)
            count++;
    return count;
}

cpu_set_t *__sched_cpualloc(size_t count) { return __tbi_alloc(CPU_ALLOC_SIZE(count)); }
void __sched_cpufree(cpu_set_t *set) { __tbi_free(set); }
