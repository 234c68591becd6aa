/* POSIX semaphores: the machine's operations with the convention of -1 and errno. */
#include "tb_pthread.h"

#include <semaphore.h>
#include <stdarg.h>

static int result(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

int sem_init(sem_t *sem, int shared, unsigned value)
{
    (void)shared;
    return value > SEM_VALUE_MAX ? result(EINVAL) : result(__tb_sem_init(sem, value));
}

int sem_destroy(sem_t *sem) { return result(__tb_sem_destroy(sem)); }
int sem_trywait(sem_t *sem) { return result(__tb_sem_trywait(sem)); }
int sem_post(sem_t *sem) { return result(__tb_sem_post(sem)); }

int sem_wait(sem_t *sem)
{
    tb_cancellation_point();
    int error = __tb_sem_wait(sem);
    if (error < 0)
        __tbi_cancelled();
    return result(error);
}

int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_clock_is_valid(clock) || !tb_time_is_valid(deadline))
        return result(EINVAL);
    tb_cancellation_point();
    int error = __tb_sem_timedwait(sem, tb_due(clock, deadline));
    if (error < 0)
        __tbi_cancelled();
    return result(error == ETIMEDOUT ? __tbi_deadline_passed(clock, deadline) : error);
}

int sem_timedwait(sem_t *sem, const struct timespec *deadline) { return sem_clockwait(sem, CLOCK_REALTIME, deadline); }

int sem_getvalue(sem_t *sem, int *value)
{
    *value = __tb_sem_getvalue(sem);
    return 0;
}

/* Named semaphores live outside the process. */
sem_t *sem_open(const char *name, int flags, ...)
{
    (void)name;
    (void)flags;
    __tb_unsupported("sem_open");
}

int sem_close(sem_t *sem)
{
    (void)sem;
    __tb_unsupported("sem_close");
}

int sem_unlink(const char *name)
{
    (void)name;
    __tb_unsupported("sem_unlink");
}
