/* What the thread libraries (pthread_*.c, threads_c11.c, semaphore.c) share with each other. */
#ifndef TB_PTHREAD_H
#define TB_PTHREAD_H

#include "tb_internal.h"
#include "tb_threads.h"
#include "tb_time.h"

#include <bits/local_lim.h> /* PTHREAD_KEYS_MAX …: a freestanding <limits.h> does not have them */
#include <pthread.h>
#include <sched.h>
#include <time.h>

/* A second name of a function, for objects that were not compiled from the header. A definition of its own, not an
 * alias: it is rarely called, and so the loader need not know aliases. */
#define TB_SECOND_NAME(type, name, parameters, call) \
    type name parameters;                            \
    type name parameters { return call; }

/* Cleanup handlers that are called, not jumped to: those of our own routines and of old objects. */
void __tbi_push_handler(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument);
void __tbi_pop_handler(struct _pthread_cleanup_buffer *handler);

/* A new thread runs `entry`, which gets a copy of `start` back from tb_started. */
struct tb_start {
    void (*routine)(void);
    void *argument;
    unsigned long signal_mask;
};
int __tbi_thread_create(unsigned long *thread, void (*entry)(void *), const struct tb_start *start, int detached);
void __tbi_take_mask(unsigned long mask);
/* All in registers: a search takes this way for every thread of every execution. */
INLINE struct tb_start tb_started(void *block)
{
    struct tb_start start = *(struct tb_start *)block;
    __tb_discard(block);
    if (start.signal_mask)
        __tbi_take_mask(start.signal_mask);
    return start;
}
/* The signals that the calling thread blocks, which a thread that it creates inherits. */
unsigned long __tbi_signal_mask(void);
/* Join as pthread_join: 0 or an errno value, a cancellation point. */
int __tbi_thread_join(unsigned long thread, void **result);
/* The end of a thread whose handlers have run (or that has none): the keys' destructors, then the machine's end. */
_Noreturn void __tbi_thread_finish(void *result);
/* The end by pthread_exit: the handlers come first. */
_Noreturn void __tbi_thread_exit(void *result);

/* Keys (pthread_key.c). */
int __tbi_key_create(unsigned *key, void (*destructor)(void *));
int __tbi_key_delete(unsigned key);
void *__tbi_key_get(unsigned key);
int __tbi_key_set(unsigned key, const void *value);
void __tbi_keys_destroy(void);

void __tbi_once(int *once, void (*routine)(void));
int __tbi_cond_wait(void *cond, void *mutex);
int __tbi_cond_timedwait(void *cond, void *mutex, clockid_t clock, const struct timespec *deadline);
int __tbi_mutex_timedlock(void *mutex, clockid_t clock, const struct timespec *deadline);

INLINE bool tb_time_is_valid(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

/* The clocks that a deadline may be given in. */
INLINE bool tb_clock_is_valid(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

/* The scheduler let a deadline pass: moves the clock there, so that the program does not see a timeout that came too
 * early. Returns ETIMEDOUT (pthread_sync.c). */
int __tbi_deadline_passed(clockid_t clock, const struct timespec *deadline);
void __tbi_sleep_until(clockid_t clock, const struct timespec *time); /* sleep.c */

#endif
