/* Cancellation, for the files of the runtime that hold a cancellation point (pthread_cancel.c). */
#ifndef TB_CANCEL_H
#define TB_CANCEL_H

/* A cancellation point of its own: does not return if a cancellation is pending and enabled. For sleep, nanosleep, read …
 * One call is enough, *after* the thing that takes time: then a request counts whether it came before or during it. */
void __tb_cancellation_point(void);

/* The same before what takes no time, in programs that cancel threads (pthread_cancel_request.c): where POSIX says that a cancellation is acted
 * on, and where it leaves that open, as for streams. Before anything is locked. */
__attribute__((weak)) void __tbi_cancellation(int may);
static inline void tb_cancellation_point(void)
{
    if (__tbi_cancellation)
        __tbi_cancellation(0);
}
static inline void tb_may_be_cancelled(void)
{
    if (__tbi_cancellation)
        __tbi_cancellation(1);
}

/* For an operation that met a pending cancellation while it waited (-1 from a primitive): the handlers, the
 * destructors, the end of the thread. */
_Noreturn void __tbi_cancelled(void);

#endif
