/* Thread attributes. Only the detach state means anything to the machine; the others are kept and given back. */
#include "tb_attr.h"

#include <signal.h>

enum { DEFAULT_STACK = 8 << 20, DEFAULT_GUARD = 4096, SMALLEST_STACK = 16384 };

INLINE struct tb_attr *attributes(pthread_attr_t *attr) { return (struct tb_attr *)attr; }

int pthread_attr_init(pthread_attr_t *attr)
{
    *attributes(attr) = (struct tb_attr){.guard_size = DEFAULT_GUARD, .stack_size = DEFAULT_STACK};
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attr, int state)
{
    if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
        return EINVAL;
    attributes(attr)->detach = (unsigned char)state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state)
{
    *state = tb_attr_of(attr)->detach;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size)
{
    attributes(attr)->guard_size = size;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attr, size_t *size)
{
    *size = tb_attr_of(attr)->guard_size;
    return 0;
}

int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy)
{
    if (policy != SCHED_OTHER && !tb_policy_needs_privilege(policy))
        return EINVAL;
    attributes(attr)->policy = policy;
    return 0;
}

int pthread_attr_getschedpolicy(const pthread_attr_t *attr, int *policy)
{
    *policy = tb_attr_of(attr)->policy;
    return 0;
}

/* The policy that is set says which priorities there are. */
int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *param)
{
    bool real_time = tb_policy_needs_privilege(tb_attr_of(attr)->policy);
    int low = real_time ? 1 : 0, high = real_time ? 99 : 0;
    if (param->sched_priority < low || param->sched_priority > high)
        return EINVAL;
    attributes(attr)->priority = param->sched_priority;
    return 0;
}

int pthread_attr_getschedparam(const pthread_attr_t *attr, struct sched_param *param)
{
    param->sched_priority = tb_attr_of(attr)->priority;
    return 0;
}

int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit)
{
    if (inherit != PTHREAD_INHERIT_SCHED && inherit != PTHREAD_EXPLICIT_SCHED)
        return EINVAL;
    attributes(attr)->inherit = (unsigned char)inherit;
    return 0;
}

int pthread_attr_getinheritsched(const pthread_attr_t *attr, int *inherit)
{
    *inherit = tb_attr_of(attr)->inherit;
    return 0;
}

/* As on Linux, where threads compete with all others of the system only. */
int pthread_attr_setscope(pthread_attr_t *attr, int scope)
{
    (void)attr;
    if (scope == PTHREAD_SCOPE_PROCESS)
        return ENOTSUP;
    return scope == PTHREAD_SCOPE_SYSTEM ? 0 : EINVAL;
}

int pthread_attr_getscope(const pthread_attr_t *attr, int *scope)
{
    *scope = tb_attr_of(attr)->scope;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size)
{
    if (size < SMALLEST_STACK)
        return EINVAL;
    attributes(attr)->stack_size = size;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size)
{
    *size = tb_attr_of(attr)->stack_size;
    return 0;
}

/* A thread never runs on memory that the program gives it: the machine keeps frames elsewhere. */
int pthread_attr_setstack(pthread_attr_t *attr, void *address, size_t size)
{
    int error = pthread_attr_setstacksize(attr, size);
    if (error == 0)
        attributes(attr)->stack = address;
    return error;
}

int pthread_attr_getstack(const pthread_attr_t *attr, void **address, size_t *size)
{
    *address = tb_attr_of(attr)->stack;
    *size = tb_attr_of(attr)->stack_size;
    return 0;
}

/* The older pair speaks of the end from which the stack grows down. */
int pthread_attr_setstackaddr(pthread_attr_t *attr, void *end)
{
    attributes(attr)->stack = (char *)end - tb_attr_of(attr)->stack_size;
    return 0;
}

int pthread_attr_getstackaddr(const pthread_attr_t *attr, void **end)
{
    char *stack = tb_attr_of(attr)->stack;
    *end = stack ? stack + tb_attr_of(attr)->stack_size : NULL;
    return 0;
}

int pthread_attr_setsigmask_np(pthread_attr_t *attr, const sigset_t *mask)
{
    attributes(attr)->has_sigmask = mask != NULL;
    if (mask)
        attributes(attr)->sigmask = mask->__val[0];
    return 0;
}

int pthread_attr_getsigmask_np(const pthread_attr_t *attr, sigset_t *mask)
{
    __tb_memset(mask, 0, sizeof *mask);
    if (!tb_attr_of(attr)->has_sigmask)
        return PTHREAD_ATTR_NO_SIGMASK_NP;
    mask->__val[0] = tb_attr_of(attr)->sigmask;
    return 0;
}

int pthread_getattr_default_np(pthread_attr_t *attr) { return pthread_attr_init(attr); }

int pthread_setattr_default_np(const pthread_attr_t *attr)
{
    (void)attr;
    __tb_unsupported("pthread_setattr_default_np");
}

/* Where a thread's stack lies is the machine's secret. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
    pthread_attr_init(attr);
    attributes(attr)->detach = __tb_thread_detached(thread) ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
    return 0;
}
