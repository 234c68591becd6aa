/* Threads: create, join, detach, names, signals, and what belongs to the whole process. */
#include "tb_pthread.h"

#include "tb_attr.h"

#include <signal.h>

/* For programs that ask whether they need atomics at all: they do. */
char __libc_single_threaded = 0;

/* The thread's signal mask (signal.c). */
int __tbi_change_mask(int how, const sigset_t *set, sigset_t *old);

unsigned long __tbi_signal_mask(void)
{
    sigset_t set;
    __tbi_change_mask(SIG_BLOCK, NULL, &set);
    return set.__val[0];
}

/* Virtual files are locked from the first thread on, in programs that have some (file_table.c). */
__attribute__((weak)) void __tbi_note_threads(void);

/* The machine passes one word to a new thread, and there are more: they travel in a block that the new thread frees
 * before anything else can be seen of it. */
int __tbi_thread_create(unsigned long *thread, void (*entry)(void *), const struct tb_start *start, int detached)
{
    __tb_need_function(start->routine, 1);
    struct tb_start *block = __tb_malloc(sizeof *block, _Alignof(struct tb_start), TB_OWN_BLOCK);
    if (!block)
        return EAGAIN;
    *block = *start;
    if (__tbi_note_threads)
        __tbi_note_threads();
    *thread = __tb_thread_create(entry, block, detached);
    return 0;
}

__attribute__((noinline)) void __tbi_take_mask(unsigned long mask)
{
    __tbi_change_mask(SIG_SETMASK, &(sigset_t){{mask}}, NULL);
}

void __tbi_thread_finish(void *result)
{
    __tbi_keys_destroy();
    __tb_thread_end(result);
}

static void entry(void *block)
{
    struct tb_start start = tb_started(block);
    __tbi_thread_finish(((void *(*)(void *))start.routine)(start.argument));
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
    const struct tb_attr *wanted = tb_attr_of(attr);
    if (wanted && wanted->inherit == PTHREAD_EXPLICIT_SCHED && tb_policy_needs_privilege(wanted->policy))
        return EPERM;
    int detached = wanted && wanted->detach == PTHREAD_CREATE_DETACHED;
    unsigned long mask = wanted && wanted->has_sigmask ? wanted->sigmask : __tbi_signal_mask();
    struct tb_start start = {(void (*)(void))routine, argument, mask};
    return __tbi_thread_create(thread, entry, &start, detached);
}

/* A result is stored by the runtime, not by the machine, so that the access is checked as the program's own. */
static int joined(int error, void **to, void *value)
{
    if (error < 0)
        __tbi_cancelled();
    if (error == 0 && to)
        *to = value;
    return error;
}

static __attribute__((noinline)) int join_for_result(unsigned long thread, void **result)
{
    void *value = NULL;
    return joined(__tb_thread_join(thread, &value), result, value);
}

/* Nobody wants the result of most threads: then there need not be a place for it. */
int __tbi_thread_join(unsigned long thread, void **result)
{
    return result ? join_for_result(thread, result) : joined(__tb_thread_join(thread, NULL), NULL, NULL);
}

int pthread_join(pthread_t thread, void **result) { return __tbi_thread_join(thread, result); }

int pthread_tryjoin_np(pthread_t thread, void **result)
{
    void *value = NULL;
    return joined(__tb_thread_tryjoin(thread, &value), result, value);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline)
{
    if (!tb_clock_is_valid(clock))
        return EINVAL;
    if (!deadline)
        return __tbi_thread_join(thread, result);
    if (!tb_time_is_valid(deadline))
        return EINVAL;
    void *value = NULL;
    int error = joined(__tb_thread_timedjoin(thread, &value, tb_due(clock, deadline)), result, value);
    return error == ETIMEDOUT ? __tbi_deadline_passed(clock, deadline) : error;
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *deadline)
{
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, deadline);
}

int pthread_detach(pthread_t thread) { return __tb_thread_detach(thread); }
pthread_t pthread_self(void) { return __tb_thread_self(); }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

/* The main thread has the number of the process, the others those behind it. */
pid_t gettid(void) { return TB_PROCESS + (pid_t)(__tb_thread_self() & 0xffff); }

/* ---- names ---- */

enum { NAME_SIZE = 16 };

static _Thread_local char own_name[NAME_SIZE];

/* Whether a thread was named by another one: such a name is not kept, so nobody may ask for names from then on. */
static bool others_named;

int pthread_setname_np(pthread_t thread, const char *name)
{
    size_t length = tb_strnlen(name, NAME_SIZE);
    if (length >= NAME_SIZE)
        return ERANGE;
    if (thread == __tb_thread_self()) {
        __tb_memcpy(own_name, name, length + 1);
        return 0;
    }
    __tb_hidden_state(&others_named);
    others_named = true;
    return 0;
}

int pthread_getname_np(pthread_t thread, char *buffer, size_t size)
{
    if (thread != __tb_thread_self())
        __tb_unsupported("pthread_getname_np of another thread");
    __tb_hidden_state(&others_named);
    if (others_named)
        __tb_unsupported("pthread_getname_np of a thread that another one has named");
    const char *name = own_name[0] ? own_name : "program";
    size_t length = tb_strlen(name);
    if (size <= length)
        return ERANGE;
    __tb_memcpy(buffer, name, length + 1);
    return 0;
}

/* ---- signals ---- */

int pthread_kill(pthread_t thread, int signal)
{
    if (signal < 0 || signal >= NSIG)
        return EINVAL;
    if (signal == 0)
        return 0;
    if (thread != __tb_thread_self())
        __tb_unsupported("pthread_kill");
    return raise(signal) == 0 ? 0 : errno;
}

int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    (void)thread;
    (void)signal;
    (void)value;
    __tb_unsupported("pthread_sigqueue");
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) { return __tbi_change_mask(how, set, old); }

/* ---- the process ---- */

/* fork is refused, so the handlers are never called. */
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
    (void)thread;
    (void)clock;
    return ENOENT;
}
