/* Mutexes, spinlocks and their attributes. The machine knows the objects; what is here is the part that is not visible to
 * other threads: attributes and the validity of arguments. */
#include "tb_pthread.h"

/* pthread_mutexattr_t has 4 bytes. Robust mutexes and priority protocols are refused, so that only these remain. */
struct mutex_attributes {
    unsigned char type;
    unsigned char shared;
    short ceiling;
};
_Static_assert(sizeof(struct mutex_attributes) <= sizeof(pthread_mutexattr_t), "mutex attributes");

INLINE struct mutex_attributes *attributes(pthread_mutexattr_t *attr) { return (struct mutex_attributes *)attr; }
INLINE const struct mutex_attributes *attributes_of(const pthread_mutexattr_t *attr)
{
    return (const struct mutex_attributes *)attr;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
    *attributes(attr) = (struct mutex_attributes){PTHREAD_MUTEX_DEFAULT, PTHREAD_PROCESS_PRIVATE, 0};
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type)
{
    if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ADAPTIVE_NP)
        return EINVAL;
    attributes(attr)->type = (unsigned char)type;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type)
{
    *type = attributes_of(attr)->type;
    return 0;
}

/* There is one process: a mutex that others may share is an ordinary one. */
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE && shared != PTHREAD_PROCESS_SHARED)
        return EINVAL;
    attributes(attr)->shared = (unsigned char)shared;
    return 0;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr, int *shared)
{
    *shared = attributes_of(attr)->shared;
    return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol)
{
    (void)attr;
    if (protocol == PTHREAD_PRIO_INHERIT || protocol == PTHREAD_PRIO_PROTECT)
        return ENOTSUP;
    return protocol == PTHREAD_PRIO_NONE ? 0 : EINVAL;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attr, int *protocol)
{
    (void)attr;
    *protocol = PTHREAD_PRIO_NONE;
    return 0;
}

/* A ceiling is only a number until a mutex has the protocol that uses it, which none can have. */
int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attr, int ceiling)
{
    if (ceiling < 1 || ceiling > 99)
        return EINVAL;
    attributes(attr)->ceiling = (short)ceiling;
    return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attr, int *ceiling)
{
    int set = attributes_of(attr)->ceiling;
    *ceiling = set ? set : 1;
    return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust)
{
    (void)attr;
    if (robust == PTHREAD_MUTEX_ROBUST)
        __tb_unsupported("a robust mutex");
    return robust == PTHREAD_MUTEX_STALLED ? 0 : EINVAL;
}

int pthread_mutexattr_getrobust(const pthread_mutexattr_t *attr, int *robust)
{
    (void)attr;
    *robust = PTHREAD_MUTEX_STALLED;
    return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
    return __tb_mutex_init(mutex, attr ? attributes_of(attr)->type : PTHREAD_MUTEX_DEFAULT);
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return __tb_mutex_destroy(mutex); }
int pthread_mutex_lock(pthread_mutex_t *mutex) { return __tb_mutex_lock(mutex); }
int pthread_mutex_trylock(pthread_mutex_t *mutex) { return __tb_mutex_trylock(mutex); }
int pthread_mutex_unlock(pthread_mutex_t *mutex) { return __tb_mutex_unlock(mutex); }

/* A wrong deadline matters only to a caller that would have to wait. */
int __tbi_mutex_timedlock(void *mutex, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_time_is_valid(deadline)) {
        int error = __tb_mutex_trylock(mutex);
        return error == EBUSY ? EINVAL : error;
    }
    int error = __tb_mutex_timedlock(mutex, tb_due(clock, deadline));
    return error == ETIMEDOUT ? __tbi_deadline_passed(clock, deadline) : error;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline)
{
    return __tbi_mutex_timedlock(mutex, CLOCK_REALTIME, deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
    return tb_clock_is_valid(clock) ? __tbi_mutex_timedlock(mutex, clock, deadline) : EINVAL;
}

/* No mutex is robust or has a ceiling. */
int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    (void)mutex;
    return EINVAL;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling)
{
    (void)mutex;
    (void)ceiling;
    return EINVAL;
}

int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *old)
{
    (void)mutex;
    (void)ceiling;
    (void)old;
    return EINVAL;
}

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    (void)shared;
    return __tb_spin_init((void *)lock);
}

int pthread_spin_destroy(pthread_spinlock_t *lock) { return __tb_spin_destroy((void *)lock); }
int pthread_spin_lock(pthread_spinlock_t *lock) { return __tb_spin_lock((void *)lock); }
int pthread_spin_trylock(pthread_spinlock_t *lock) { return __tb_spin_trylock((void *)lock); }
int pthread_spin_unlock(pthread_spinlock_t *lock) { return __tb_spin_unlock((void *)lock); }

TB_SECOND_NAME(int, __pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), pthread_mutex_init(m, a))
TB_SECOND_NAME(int, __pthread_mutex_destroy, (pthread_mutex_t * m), __tb_mutex_destroy(m))
TB_SECOND_NAME(int, __pthread_mutex_lock, (pthread_mutex_t * m), __tb_mutex_lock(m))
TB_SECOND_NAME(int, __pthread_mutex_trylock, (pthread_mutex_t * m), __tb_mutex_trylock(m))
TB_SECOND_NAME(int, __pthread_mutex_unlock, (pthread_mutex_t * m), __tb_mutex_unlock(m))
TB_SECOND_NAME(int, __pthread_mutexattr_init, (pthread_mutexattr_t * a), pthread_mutexattr_init(a))
TB_SECOND_NAME(int, __pthread_mutexattr_destroy, (pthread_mutexattr_t * a), pthread_mutexattr_destroy(a))
TB_SECOND_NAME(int, __pthread_mutexattr_settype, (pthread_mutexattr_t * a, int type), pthread_mutexattr_settype(a, type))
TB_SECOND_NAME(int, pthread_mutexattr_setkind_np, (pthread_mutexattr_t * a, int type), pthread_mutexattr_settype(a, type))
TB_SECOND_NAME(int, pthread_mutexattr_getkind_np, (const pthread_mutexattr_t *a, int *type),
               pthread_mutexattr_gettype(a, type))
