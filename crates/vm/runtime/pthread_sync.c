/* Condition variables, read-write locks, barriers, once, and their attributes. */
#include "tb_pthread.h"

INLINE bool shared_is_valid(int shared)
{
    return shared == PTHREAD_PROCESS_PRIVATE || shared == PTHREAD_PROCESS_SHARED;
}

int __tbi_deadline_passed(clockid_t clock, const struct timespec *deadline)
{
    __tbi_sleep_until(clock, deadline);
    return ETIMEDOUT;
}

/* ---- condition variables ---- */

/* pthread_condattr_t has 4 bytes. */
struct cond_attributes {
    unsigned char shared;
    unsigned char clock;
};
_Static_assert(sizeof(struct cond_attributes) <= sizeof(pthread_condattr_t), "condition attributes");

INLINE struct cond_attributes *cond_attributes(pthread_condattr_t *attr) { return (struct cond_attributes *)attr; }
INLINE const struct cond_attributes *cond_attributes_of(const pthread_condattr_t *attr)
{
    return (const struct cond_attributes *)attr;
}

int pthread_condattr_init(pthread_condattr_t *attr)
{
    *cond_attributes(attr) = (struct cond_attributes){PTHREAD_PROCESS_PRIVATE, CLOCK_REALTIME};
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
    if (!shared_is_valid(shared))
        return EINVAL;
    cond_attributes(attr)->shared = (unsigned char)shared;
    return 0;
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr, int *shared)
{
    *shared = cond_attributes_of(attr)->shared;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
    if (!tb_clock_is_valid(clock))
        return EINVAL;
    cond_attributes(attr)->clock = (unsigned char)clock;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock)
{
    *clock = cond_attributes_of(attr)->clock;
    return 0;
}

/* The clock of a condition variable lies in the last of its 48 bytes, which neither glibc's static initialiser nor the
 * machine uses: it is written before anybody may wait and only read by those who do. */
enum { CLOCK_BYTE = sizeof(pthread_cond_t) - 1 };

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
    int error = __tb_cond_init(cond);
    if (error == 0)
        cond->__size[CLOCK_BYTE] = attr ? (char)cond_attributes_of(attr)->clock : CLOCK_REALTIME;
    return error;
}

int pthread_cond_destroy(pthread_cond_t *cond) { return __tb_cond_destroy(cond); }
int pthread_cond_signal(pthread_cond_t *cond) { return __tb_cond_signal(cond); }
int pthread_cond_broadcast(pthread_cond_t *cond) { return __tb_cond_broadcast(cond); }

/* Who gives up waiting does so while others may hold the mutex, and no signal is for it from then on. It takes the mutex
 * later, as anybody does: what it waited for may have come by then. */
static void give_up(void *mutex, int error)
{
    __tb_mutex_lock(mutex);
    /* Handlers may rely on the mutex. */
    if (error < 0)
        __tbi_cancelled();
}

int __tbi_cond_wait(void *cond, void *mutex)
{
    int error = __tb_cond_enter(cond, mutex);
    if (error)
        return error;
    error = __tb_cond_leave(cond, mutex);
    if (error)
        give_up(mutex, error);
    return 0;
}

int __tbi_cond_timedwait(void *cond, void *mutex, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_time_is_valid(deadline))
        return EINVAL;
    /* Without the mutex it may change. */
    const struct timespec until = *deadline;
    int error = __tb_cond_enter(cond, mutex);
    if (error)
        return error;
    error = __tb_cond_leave_timed(cond, mutex, tb_due(clock, &until));
    if (error == ETIMEDOUT)
        __tbi_deadline_passed(clock, &until);
    if (error)
        give_up(mutex, error);
    return error;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) { return __tbi_cond_wait(cond, mutex); }

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *deadline)
{
    return __tbi_cond_timedwait(cond, mutex, cond->__size[CLOCK_BYTE], deadline);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline)
{
    return tb_clock_is_valid(clock) ? __tbi_cond_timedwait(cond, mutex, clock, deadline) : EINVAL;
}

/* ---- read-write locks ---- */

/* pthread_rwlockattr_t has 8 bytes. Who is preferred is a matter of scheduling, and every schedule is explored. */
struct rwlock_attributes {
    int kind;
    int shared;
};
_Static_assert(sizeof(struct rwlock_attributes) <= sizeof(pthread_rwlockattr_t), "rwlock attributes");

INLINE struct rwlock_attributes *rwlock_attributes(pthread_rwlockattr_t *attr)
{
    return (struct rwlock_attributes *)attr;
}
INLINE const struct rwlock_attributes *rwlock_attributes_of(const pthread_rwlockattr_t *attr)
{
    return (const struct rwlock_attributes *)attr;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr)
{
    *rwlock_attributes(attr) = (struct rwlock_attributes){PTHREAD_RWLOCK_DEFAULT_NP, PTHREAD_PROCESS_PRIVATE};
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
    if (!shared_is_valid(shared))
        return EINVAL;
    rwlock_attributes(attr)->shared = shared;
    return 0;
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr, int *shared)
{
    *shared = rwlock_attributes_of(attr)->shared;
    return 0;
}

int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind)
{
    if (kind < PTHREAD_RWLOCK_PREFER_READER_NP || kind > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        return EINVAL;
    /* glibc treats the middle one like the first. */
    if (kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        __tb_unsupported("a read-write lock that prefers writers");
    rwlock_attributes(attr)->kind = kind;
    return 0;
}

int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind)
{
    *kind = rwlock_attributes_of(attr)->kind;
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
    (void)attr;
    return __tb_rwlock_init(lock);
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return __tb_rwlock_destroy(lock); }
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return __tb_rwlock_rdlock(lock); }
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return __tb_rwlock_wrlock(lock); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return __tb_rwlock_tryrdlock(lock); }
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return __tb_rwlock_trywrlock(lock); }
int pthread_rwlock_unlock(pthread_rwlock_t *lock) { return __tb_rwlock_unlock(lock); }

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_clock_is_valid(clock) || !tb_time_is_valid(deadline))
        return EINVAL;
    int error = __tb_rwlock_timedrdlock(lock, tb_due(clock, deadline));
    return error == ETIMEDOUT ? __tbi_deadline_passed(clock, deadline) : error;
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_clock_is_valid(clock) || !tb_time_is_valid(deadline))
        return EINVAL;
    int error = __tb_rwlock_timedwrlock(lock, tb_due(clock, deadline));
    return error == ETIMEDOUT ? __tbi_deadline_passed(clock, deadline) : error;
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, deadline);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, deadline);
}

/* ---- barriers ---- */

/* pthread_barrierattr_t has 4 bytes: the shared flag. */
int pthread_barrierattr_init(pthread_barrierattr_t *attr)
{
    attr->__align = PTHREAD_PROCESS_PRIVATE;
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr)
{
    (void)attr;
    return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared)
{
    if (!shared_is_valid(shared))
        return EINVAL;
    attr->__align = shared;
    return 0;
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr, int *shared)
{
    *shared = attr->__align;
    return 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)
{
    (void)attr;
    return count == 0 || count > INT_MAX ? EINVAL : __tb_barrier_init(barrier, count);
}

int pthread_barrier_destroy(pthread_barrier_t *barrier) { return __tb_barrier_destroy(barrier); }

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    int last = __tb_barrier_arrive(barrier, 1);
    __tb_barrier_leave(barrier);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* The same where the caller does not look at the result: the order of arrival does not matter then. */
int __tbi_barrier_pass(pthread_barrier_t *barrier)
{
    __tb_barrier_arrive(barrier, 0);
    __tb_barrier_leave(barrier);
    return 0;
}

/* ---- once ---- */

static void abandon(void *once) { __tb_once_abandon(once); }

/* The routine may be cancelled or end its thread: then the handler lets somebody else run it. */
static __attribute__((noinline)) void run_once(int *once, void (*routine)(void))
{
    struct _pthread_cleanup_buffer handler;
    __tbi_push_handler(&handler, abandon, once);
    routine();
    __tbi_pop_handler(&handler);
    __tb_once_done(once);
}

/* A function of its own: whoever finds it done has no variable whose address is new each time. */
void __tbi_once(int *once, void (*routine)(void))
{
    if (__tb_once_enter(once))
        run_once(once, routine);
}

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
    __tbi_once(once, routine);
    return 0;
}

TB_SECOND_NAME(int, __pthread_once, (pthread_once_t * once, void (*routine)(void)), pthread_once(once, routine))
TB_SECOND_NAME(int, __pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a),
               pthread_rwlock_init(l, a))
TB_SECOND_NAME(int, __pthread_rwlock_destroy, (pthread_rwlock_t * l), __tb_rwlock_destroy(l))
TB_SECOND_NAME(int, __pthread_rwlock_rdlock, (pthread_rwlock_t * l), __tb_rwlock_rdlock(l))
TB_SECOND_NAME(int, __pthread_rwlock_wrlock, (pthread_rwlock_t * l), __tb_rwlock_wrlock(l))
TB_SECOND_NAME(int, __pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), __tb_rwlock_tryrdlock(l))
TB_SECOND_NAME(int, __pthread_rwlock_trywrlock, (pthread_rwlock_t * l), __tb_rwlock_trywrlock(l))
TB_SECOND_NAME(int, __pthread_rwlock_unlock, (pthread_rwlock_t * l), __tb_rwlock_unlock(l))
