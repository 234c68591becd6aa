/* The visible operations on threads that the virtual machine provides to the C runtime (see tb_runtime.h).
 *
 * Each call is one visible operation: the machine stops before it, knows what it touches and whether it can happen, and
 * executes it when the scheduler says so. The state of a synchronisation object lies in the object's own bytes, so that
 * all-zero bytes are a valid unlocked object (static initialisers) and freeing it is checked like any memory.
 * Unless said otherwise they return 0 or an errno value. Misuse that POSIX leaves undefined (unlock by a non-owner of
 * a normal mutex, destroy while held …) is reported by the machine and does not return.
 * In timed operations whether the time runs out is a choice of the scheduler; `due` is what __tb_clock shows then, for
 * one that lets time pass in order.
 * -1 is returned where a pending cancellation was met while waiting: call the cancellation path then. */
#ifndef TB_THREADS_H
#define TB_THREADS_H

#include "tb_runtime.h"

/* kind: glibc's PTHREAD_MUTEX_* value (0 normal, 1 recursive, 2 errorcheck, 3 adaptive). The machine keeps it where
 * glibc's static initialisers put it: lock @0, count @4, owner @8, kind @16 of the 40 bytes. */
int __tb_mutex_init(void *m, int kind);
int __tb_mutex_destroy(void *m);
int __tb_mutex_lock(void *m);
int __tb_mutex_trylock(void *m);   /* EBUSY */
int __tb_mutex_timedlock(void *m, uint64_t due); /* ETIMEDOUT */
int __tb_mutex_unlock(void *m);

int __tb_cond_init(void *c);
int __tb_cond_destroy(void *c);
/* A wait is two operations: enter releases the mutex and queues, leave returns 0 with the mutex held again, or the reason
 * to give up, without it. */
int __tb_cond_enter(void *c, void *m);
int __tb_cond_leave(void *c, void *m);      /* 0 or -1 */
int __tb_cond_leave_timed(void *c, void *m, uint64_t due); /* 0, ETIMEDOUT or -1 */
int __tb_cond_signal(void *c);
int __tb_cond_broadcast(void *c);

int __tb_rwlock_init(void *l);
int __tb_rwlock_destroy(void *l);
int __tb_rwlock_rdlock(void *l);
int __tb_rwlock_wrlock(void *l);
int __tb_rwlock_tryrdlock(void *l);
int __tb_rwlock_trywrlock(void *l);
int __tb_rwlock_timedrdlock(void *l, uint64_t due);
int __tb_rwlock_timedwrlock(void *l, uint64_t due);
int __tb_rwlock_unlock(void *l);

int __tb_sem_init(void *s, unsigned value); /* the value is the first unsigned of the object */
int __tb_sem_destroy(void *s);
int __tb_sem_wait(void *s);      /* 0 or -1 */
int __tb_sem_trywait(void *s);   /* EAGAIN */
int __tb_sem_timedwait(void *s, uint64_t due); /* 0, ETIMEDOUT or -1 */
int __tb_sem_post(void *s);      /* EOVERFLOW */
int __tb_sem_getvalue(void *s);  /* the value */

int __tb_spin_init(void *l);
int __tb_spin_destroy(void *l);
int __tb_spin_lock(void *l);
int __tb_spin_trylock(void *l);
int __tb_spin_unlock(void *l);

int __tb_barrier_init(void *b, unsigned count);
int __tb_barrier_destroy(void *b);
/* 1 for the last to arrive, else 0; then every thread calls leave. `told` is 0 where nobody looks at the answer. */
int __tb_barrier_arrive(void *b, int told);
int __tb_barrier_leave(void *b);  /* 0 */

int __tb_once_enter(int *once); /* 1: the caller runs the routine and calls done; 0: it has been run */
int __tb_once_done(int *once);
int __tb_once_abandon(int *once); /* the routine was cancelled: somebody else may run it */

/* Runs start(argument) in a new thread; start must end by __tb_thread_end. The handle is never 0. */
unsigned long __tb_thread_create(void (*start)(void *), void *argument, int detached);
int __tb_thread_join(unsigned long thread, void **result);      /* 0, ESRCH, EINVAL, EDEADLK or -1 */
int __tb_thread_tryjoin(unsigned long thread, void **result);   /* EBUSY */
int __tb_thread_timedjoin(unsigned long thread, void **result, uint64_t due); /* ETIMEDOUT */
int __tb_thread_detach(unsigned long thread);
int __tb_thread_detached(unsigned long thread); /* 1 or 0 */
_Noreturn void __tb_thread_end(void *result);
int __tb_thread_cancel(unsigned long thread); /* marks it; 0 or ESRCH */
/* 1 if a cancellation is pending and enabled, and is taken. Where it `may` be and need not, both are explored. */
int __tb_testcancel(int may);
void __tb_yield(void);

/* Not visible to others. */
unsigned long __tb_thread_self(void);
int __tb_thread_is_main(void);
int __tb_cancel_state(int disabled); /* sets it, returns the one before; 1 = disabled */

/* Choices of the environment. */
int64_t __tb_choose(int64_t low, int64_t high); /* any value of low..=high */
uint64_t __tb_nondet(unsigned bits);            /* any value of that many bits */
void __tb_assume(int condition);                /* the execution counts only if it holds */
_Noreturn void __tb_error(const char *message); /* __VERIFIER_error */
void __tb_assert(int condition, const char *message);
void __tb_atomic_begin(void);
void __tb_atomic_end(void);
void __tb_label(const char *name);
void __tb_progress(void);
void __tb_abstract(const void *object, size_t size);

#endif
