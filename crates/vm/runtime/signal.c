/* Signals that a thread raises in itself. Nothing here comes from outside: a signal to another process or thread is
 * refused. Handlers belong to the process, the mask and what it holds back to the thread. */
#include "tb_internal.h"

#include <signal.h>
#include <string.h>

/* For pthread_sigmask too: 0 or an errno value. */
int __tbi_change_mask(int how, const sigset_t *set, sigset_t *old);

#define SIGNALS 65

/* What matters of a struct sigaction, whose set of signals alone has 128 bytes. All zeros are SIG_DFL. */
struct action {
    union {
        sighandler_t plain;
        void (*informed)(int, siginfo_t *, void *);
    } handler;
    uint64_t mask;
    int flags;
};
static struct action actions[SIGNALS];

static _Thread_local uint64_t mask, held;

static bool valid(int signal) { return signal > 0 && signal < SIGNALS; }

static uint64_t bit(int signal) { return (uint64_t)1 << (signal - 1); }

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* ---- delivery ---- */

static void default_action(int signal)
{
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
        return;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        __tb_unsupported("stopping the process by a signal");
    default:
        __tb_signal_death(signal);
    }
}

/* Does what the action of a signal says, now. */
static void deliver(int signal)
{
    __tb_hidden_state(actions);
    struct action action = actions[signal];
    if (action.handler.plain == SIG_IGN)
        return;
    if (action.handler.plain == SIG_DFL) {
        default_action(signal);
        return;
    }
    if (action.flags & (int)SA_RESETHAND)
        actions[signal].handler.plain = SIG_DFL;
    uint64_t before = mask;
    mask |= action.mask;
    if (!(action.flags & SA_NODEFER))
        mask |= bit(signal);
    if (action.flags & SA_SIGINFO) {
        siginfo_t info = {.si_signo = signal, .si_code = SI_TKILL};
        info.si_pid = TB_PROCESS;
        info.si_uid = TB_USER;
        action.handler.informed(signal, &info, NULL);
    } else {
        action.handler.plain(signal);
    }
    mask = before;
}

/* Delivers what was held back and is not blocked any more. */
static void release(void)
{
    for (int signal = 1; held & ~mask; signal++)
        if (held & ~mask & bit(signal)) {
            held &= ~bit(signal);
            deliver(signal);
            signal = 0;
        }
}

int __tbi_raise(int signal)
{
    if (!valid(signal))
        return refuse(EINVAL);
    if (mask & bit(signal))
        held |= bit(signal);
    else
        deliver(signal);
    release();
    return 0;
}

void __tbi_raise_abort(void)
{
    mask &= ~bit(SIGABRT);
    deliver(SIGABRT);
}

int raise(int signal) { return __tbi_raise(signal); }

int gsignal(int signal) { return __tbi_raise(signal); }

int kill(pid_t process, int signal)
{
    if (signal < 0 || signal >= SIGNALS)
        return refuse(EINVAL);
    if (process != TB_PROCESS && process != 0)
        __tb_unsupported("kill of another process");
    return signal ? __tbi_raise(signal) : 0;
}

int killpg(pid_t group, int signal)
{
    (void)group;
    (void)signal;
    __tb_unsupported("killpg");
}

/* ---- actions ---- */

static int set_action(int signal, const struct sigaction *new, struct sigaction *old)
{
    if (!valid(signal) || (new && (signal == SIGKILL || signal == SIGSTOP)) ||
        (signal >= __SIGRTMIN && signal < __SIGRTMIN + 2))
        return refuse(EINVAL);
    __tb_hidden_state(actions);
    struct action *action = &actions[signal], before = *action;
    if (new) {
        if (new->sa_flags & SA_SIGINFO)
            action->handler.informed = new->sa_sigaction;
        else
            action->handler.plain = new->sa_handler;
        action->mask = new->sa_mask.__val[0];
        action->flags = new->sa_flags;
    }
    if (old) {
        *old = (struct sigaction){.sa_flags = before.flags};
        if (before.flags & SA_SIGINFO)
            old->sa_sigaction = before.handler.informed;
        else
            old->sa_handler = before.handler.plain;
        old->sa_mask.__val[0] = before.mask;
    }
    return 0;
}

int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old)
{
    return set_action(signal, new, old);
}

INLINE sighandler_t set_handler(int signal, sighandler_t handler, int flags)
{
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = flags, .sa_mask = {{0}}};
    return set_action(signal, &new, &old) ? SIG_ERR : old.sa_handler;
}

sighandler_t signal(int signal, sighandler_t handler) { return set_handler(signal, handler, SA_RESTART); }

sighandler_t bsd_signal(int signal, sighandler_t handler) { return set_handler(signal, handler, SA_RESTART); }

sighandler_t ssignal(int signal, sighandler_t handler) { return set_handler(signal, handler, SA_RESTART); }

/* `signal` where the program asks for strict C or System V. */
sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER);
}

sighandler_t sysv_signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER);
}

int siginterrupt(int signal, int interrupt)
{
    struct sigaction action;
    if (set_action(signal, NULL, &action))
        return -1;
    action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return set_action(signal, &action, NULL);
}

/* ---- masks ---- */

int __tbi_change_mask(int how, const sigset_t *set, sigset_t *old)
{
    uint64_t before = mask;
    if (set) {
        /* KILL, STOP and the two that the thread library keeps for itself cannot be blocked. */
        uint64_t wanted = set->__val[0] & ~(bit(SIGKILL) | bit(SIGSTOP) | bit(__SIGRTMIN) | bit(__SIGRTMIN + 1));
        if (how == SIG_BLOCK)
            mask |= wanted;
        else if (how == SIG_UNBLOCK)
            mask &= ~wanted;
        else if (how == SIG_SETMASK)
            mask = wanted;
        else
            return EINVAL;
    }
    if (old)
        old->__val[0] = before;
    release();
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    int error = __tbi_change_mask(how, set, old);
    return error ? refuse(error) : 0;
}

int sigpending(sigset_t *set)
{
    set->__val[0] = held;
    return 0;
}

/* Sixty-four signals are one word; like glibc, nothing here touches the fifteen others of a set. */
int sigemptyset(sigset_t *set)
{
    set->__val[0] = 0;
    return 0;
}

int sigfillset(sigset_t *set)
{
    set->__val[0] = ~(bit(__SIGRTMIN) | bit(__SIGRTMIN + 1));
    return 0;
}

INLINE int change_set(sigset_t *set, int signal, bool in)
{
    if (!valid(signal) || (signal >= __SIGRTMIN && signal < __SIGRTMIN + 2))
        return refuse(EINVAL);
    if (in)
        set->__val[0] |= bit(signal);
    else
        set->__val[0] &= ~bit(signal);
    return 0;
}

int sigaddset(sigset_t *set, int signal) { return change_set(set, signal, true); }

int sigdelset(sigset_t *set, int signal) { return change_set(set, signal, false); }

int sigismember(const sigset_t *set, int signal)
{
    return valid(signal) ? (set->__val[0] & bit(signal)) != 0 : refuse(EINVAL);
}

int sigisemptyset(const sigset_t *set) { return set->__val[0] == 0; }

int sigorset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
    to->__val[0] = a->__val[0] | b->__val[0];
    return 0;
}

int sigandset(sigset_t *to, const sigset_t *a, const sigset_t *b)
{
    to->__val[0] = a->__val[0] & b->__val[0];
    return 0;
}

int __libc_current_sigrtmin(void) { return __SIGRTMIN + 2; }

int __libc_current_sigrtmax(void) { return __SIGRTMAX; }
