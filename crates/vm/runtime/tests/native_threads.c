/* The machine's thread primitives (tb_threads.h) on real threads, to test the C runtime without the machine.
 *
 * One lock guards the state of all objects, and whoever waits looks again whenever something has changed. A timed
 * operation times out when nobody else can move, or after a while. When nobody can move and nobody has a deadline,
 * that is a deadlock: the process ends with 99. Misuse ends it with 98, what is unsupported with 97.
 * With TB_STRESS=seed each thread hesitates at random before its operations, and signals wake waiters at random. */
#define _GNU_SOURCE
#include "../tb_threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 16384, TIMEOUT_MS = 300 };

struct thread {
    void (*start)(void *);
    void *argument, *result;
    bool detached, ended, joined;
    bool cancel_pending, cancel_disabled;
    bool blocked;
    unsigned long seen; /* the change after which it last looked */
    void *waits_on;     /* a condition variable */
    unsigned long ticket;
    bool signalled;
    int generation; /* of the barrier that it arrived at */
    jmp_buf bottom;
};

static struct thread *threads[MAX_THREADS];
static unsigned long created = 1; /* handle 1 is main */
static unsigned long alive = 1, changes = 1, tickets;
static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local unsigned long self_handle = 1;
static _Thread_local struct thread *self;
static _Thread_local unsigned random_state;
static unsigned stress;

static _Noreturn void stop(int status, const char *what, const char *more)
{
    fflush(stdout);
    fprintf(stderr, "%s%s\n", what, more);
    _exit(status);
}

__attribute__((constructor)) static void begin(void)
{
    self = threads[1] = calloc(1, sizeof *self);
    const char *seed = getenv("TB_STRESS");
    stress = seed ? (unsigned)atoi(seed) : 0;
}

static unsigned chance(unsigned n)
{
    if (!random_state)
        random_state = (unsigned)(stress * 2654435761u + self_handle * 40503u) | 1;
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % n;
}

/* Hidden state is held until the thread's next operation; for safety not longer than a while. */
static pthread_mutex_t hidden = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool holds_hidden;

static void release_hidden(void)
{
    if (holds_hidden)
        pthread_mutex_unlock(&hidden);
    holds_hidden = false;
}

static void lock(void)
{
    release_hidden();
    if (stress && chance(3) == 0)
        for (unsigned i = chance(4); i; i--)
            sched_yield();
    if (stress && chance(20) == 0)
        usleep(chance(300));
    pthread_mutex_lock(&big);
}

static void change(void)
{
    changes++;
    pthread_cond_broadcast(&changed);
}

static int unlock(int result)
{
    pthread_mutex_unlock(&big);
    return result;
}

/* Something has happened: others look again. */
static int unlock_changed(int result)
{
    change();
    return unlock(result);
}

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool nobody_can_move(void)
{
    for (unsigned long i = 1; i <= created; i++)
        if (!threads[i]->ended && !(threads[i]->blocked && threads[i]->seen == changes))
            return false;
    return true;
}

static unsigned timed_waiters;

static bool take_cancellation(void)
{
    if (!self->cancel_pending || self->cancel_disabled)
        return false;
    self->cancel_pending = false;
    return true;
}

enum { TIMED = 1, CANCELLABLE = 2, READY_FIRST = 4, SLEEP = 8 };

/* Waits for ready(object): 0, ETIMEDOUT or -1. `limit` is for sleeps, which end at that time and not before. */
static int wait_for(bool (*ready)(void *), void *object, int flags, long limit)
{
    int result = 0;
    long deadline = now_ms() + TIMEOUT_MS;
    timed_waiters += flags & TIMED;
    for (;;) {
        bool is_ready = ready(object);
        if (is_ready && (flags & READY_FIRST))
            break;
        if ((flags & CANCELLABLE) && take_cancellation()) {
            result = -1;
            break;
        }
        if (is_ready)
            break;
        self->seen = changes;
        self->blocked = !(flags & SLEEP);
        if (flags & TIMED && (nobody_can_move() || now_ms() >= deadline)) {
            result = ETIMEDOUT;
            break;
        }
        if (flags & SLEEP && now_ms() >= limit)
            break;
        if (!timed_waiters && nobody_can_move())
            stop(99, "deadlock", "");
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += flags & (TIMED | SLEEP) ? 2000000 : 50000000;
        if (t.tv_nsec >= 1000000000) {
            t.tv_sec++;
            t.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&changed, &big, &t);
        self->blocked = false;
    }
    self->blocked = false;
    timed_waiters -= flags & TIMED;
    return result;
}

static bool never(void *object)
{
    (void)object;
    return false;
}

/* ---- what tb_runtime.h asks for ---- */

void *__tb_malloc(size_t size, size_t align, int zeroed)
{
    (void)align;
    return zeroed ? calloc(1, size) : malloc(size);
}
void __tb_free(void *p) { free(p); }
void __tb_discard(void *p) { free(p); }
void *__tbi_alloc(size_t size) { return malloc(size); }
void __tbi_free(void *p) { free(p); }
int __tbi_change_mask(int how, const sigset_t *set, sigset_t *old) { return pthread_sigmask(how, set, old); }
void __tb_memcpy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
void __tb_memset(void *to, int byte, size_t n) { memset(to, byte, n); }
void __tb_unsupported(const char *what) { stop(97, "unsupported: ", what); }

void __tb_sleep(uint64_t nanoseconds)
{
    struct timespec t = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    release_hidden();
    nanosleep(&t, NULL);
}

void __tbi_sleep_until(clockid_t clock, const struct timespec *time)
{
    release_hidden();
    clock_nanosleep(clock, TIMER_ABSTIME, time, NULL);
}

void __tb_need_function(void (*function)(void), int arguments)
{
    (void)arguments;
    if (!function)
        abort();
}

void __tb_hidden_state(const void *object)
{
    (void)object;
    if (holds_hidden)
        return;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec++;
    holds_hidden = pthread_mutex_timedlock(&hidden, &t) == 0;
}

/* The program's own sleeps: cancellation points, which those of the C library would not be for our cancellation. */
static void sleep_ns(uint64_t ns)
{
    lock();
    int result = wait_for(never, NULL, SLEEP | CANCELLABLE, now_ms() + (long)((ns + 999999) / 1000000));
    unlock(0);
    if (result < 0) {
        self->cancel_pending = true;
        extern void __tb_cancellation_point(void);
        __tb_cancellation_point();
    }
}
unsigned tb_test_sleep(unsigned seconds)
{
    sleep_ns(seconds * 1000000000ull);
    return 0;
}
int tb_test_usleep(unsigned us)
{
    sleep_ns(us * 1000ull);
    return 0;
}
int tb_test_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    sleep_ns((uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec);
    return 0;
}

/* ---- mutexes ---- */

struct mutex {
    int locked, count, owner, unused, kind;
};
enum { NORMAL, RECURSIVE, ERRORCHECK };

static bool mutex_is_free(void *m) { return !((struct mutex *)m)->locked; }
static bool mutex_is_mine(struct mutex *m) { return m->locked && (unsigned long)m->owner == self_handle; }

static void mutex_take(struct mutex *m)
{
    m->locked = 1;
    m->count = 1;
    m->owner = (int)self_handle;
}

int __tb_mutex_init(void *m, int kind)
{
    memset(m, 0, 40);
    ((struct mutex *)m)->kind = kind;
    return 0;
}

int __tb_mutex_destroy(void *m)
{
    lock();
    if (!mutex_is_free(m))
        stop(98, "misuse: destroy of a held mutex", "");
    return unlock(0);
}

static int mutex_lock(struct mutex *m, int flags)
{
    lock();
    if (mutex_is_mine(m) && m->kind == RECURSIVE) {
        m->count++;
        return unlock(0);
    }
    if (mutex_is_mine(m) && m->kind == ERRORCHECK)
        return unlock(EDEADLK);
    int error = wait_for(mutex_is_free, m, flags, 0);
    if (error)
        return unlock(error);
    mutex_take(m);
    return unlock(0);
}
int __tb_mutex_lock(void *m) { return mutex_lock(m, 0); }
int __tb_mutex_timedlock(void *m, uint64_t due) { (void)due; return mutex_lock(m, TIMED); }

int __tb_mutex_trylock(void *p)
{
    struct mutex *m = p;
    lock();
    if (mutex_is_mine(m) && m->kind == RECURSIVE)
        m->count++;
    else if (m->locked)
        return unlock(EBUSY);
    else
        mutex_take(m);
    return unlock(0);
}

static int mutex_unlock(struct mutex *m)
{
    if (!mutex_is_mine(m)) {
        if (m->kind == NORMAL || m->kind > ERRORCHECK)
            stop(98, "misuse: unlock by another thread", "");
        return EPERM;
    }
    if (--m->count == 0) {
        m->locked = m->owner = 0;
        change();
    }
    return 0;
}

int __tb_mutex_unlock(void *m)
{
    lock();
    return unlock(mutex_unlock(m));
}

/* ---- condition variables ---- */

int __tb_cond_init(void *c)
{
    memset(c, 0, 48);
    return 0;
}

int __tb_cond_destroy(void *c)
{
    lock();
    for (unsigned long i = 1; i <= created; i++)
        if (threads[i]->waits_on == c && !threads[i]->signalled)
            stop(98, "misuse: destroy of a condition variable with waiters", "");
    return unlock(0);
}

int __tb_cond_enter(void *c, void *m)
{
    lock();
    int error = mutex_unlock(m);
    if (error)
        return unlock(error);
    self->waits_on = c;
    self->signalled = false;
    self->ticket = ++tickets;
    return unlock_changed(0);
}

static bool is_signalled(void *object)
{
    (void)object;
    return self->signalled;
}

static int cond_leave(struct mutex *m, int flags)
{
    lock();
    int result = wait_for(is_signalled, NULL, flags | CANCELLABLE | READY_FIRST, 0);
    self->waits_on = NULL;
    if (result)
        return unlock(result);
    wait_for(mutex_is_free, m, 0, 0);
    mutex_take(m);
    return unlock(0);
}
int __tb_cond_leave(void *c, void *m)
{
    (void)c;
    return cond_leave(m, 0);
}
int __tb_cond_leave_timed(void *c, void *m, uint64_t due)
{
    (void)c, (void)due;
    return cond_leave(m, TIMED);
}

static struct thread *some_waiter(void *c)
{
    struct thread *found = NULL;
    for (unsigned long i = 1; i <= created; i++) {
        struct thread *t = threads[i];
        if (t->waits_on != c || t->signalled)
            continue;
        if (!found || (stress ? chance(2) : t->ticket < found->ticket))
            found = t;
    }
    return found;
}

int __tb_cond_signal(void *c)
{
    lock();
    struct thread *t = some_waiter(c);
    if (t)
        t->signalled = true;
    return unlock_changed(0);
}

int __tb_cond_broadcast(void *c)
{
    lock();
    for (struct thread *t; (t = some_waiter(c));)
        t->signalled = true;
    return unlock_changed(0);
}

/* ---- read-write locks ---- */

struct rwlock {
    int readers, writer;
};
static bool rwlock_readable(void *l) { return !((struct rwlock *)l)->writer; }
static bool rwlock_writable(void *l) { return !((struct rwlock *)l)->writer && !((struct rwlock *)l)->readers; }

int __tb_rwlock_init(void *l)
{
    memset(l, 0, 56);
    return 0;
}

int __tb_rwlock_destroy(void *l)
{
    lock();
    if (!rwlock_writable(l))
        stop(98, "misuse: destroy of a held rwlock", "");
    return unlock(0);
}

static int rwlock_lock(struct rwlock *l, bool write, int flags)
{
    lock();
    if ((unsigned long)l->writer == self_handle)
        return unlock(EDEADLK);
    int error = wait_for(write ? rwlock_writable : rwlock_readable, l, flags, 0);
    if (error)
        return unlock(error);
    if (write)
        l->writer = (int)self_handle;
    else
        l->readers++;
    return unlock(0);
}
int __tb_rwlock_rdlock(void *l) { return rwlock_lock(l, false, 0); }
int __tb_rwlock_wrlock(void *l) { return rwlock_lock(l, true, 0); }
int __tb_rwlock_timedrdlock(void *l, uint64_t due) { (void)due; return rwlock_lock(l, false, TIMED); }
int __tb_rwlock_timedwrlock(void *l, uint64_t due) { (void)due; return rwlock_lock(l, true, TIMED); }

static int rwlock_try(struct rwlock *l, bool write)
{
    lock();
    if (!(write ? rwlock_writable(l) : rwlock_readable(l)))
        return unlock(EBUSY);
    if (write)
        l->writer = (int)self_handle;
    else
        l->readers++;
    return unlock(0);
}
int __tb_rwlock_tryrdlock(void *l) { return rwlock_try(l, false); }
int __tb_rwlock_trywrlock(void *l) { return rwlock_try(l, true); }

int __tb_rwlock_unlock(void *p)
{
    struct rwlock *l = p;
    lock();
    if (l->writer ? (unsigned long)l->writer != self_handle : !l->readers)
        stop(98, "misuse: unlock of a rwlock that is not held", "");
    if (l->writer)
        l->writer = 0;
    else
        l->readers--;
    return unlock_changed(0);
}

/* ---- semaphores, spinlocks, barriers, once ---- */

static bool sem_is_open(void *s) { return *(unsigned *)s > 0; }

int __tb_sem_init(void *s, unsigned value)
{
    memset(s, 0, 32);
    *(unsigned *)s = value;
    return 0;
}
int __tb_sem_destroy(void *s)
{
    (void)s;
    return 0;
}
static int sem_take(void *s, int flags)
{
    lock();
    int error = wait_for(sem_is_open, s, flags | CANCELLABLE, 0);
    if (error == 0)
        --*(unsigned *)s;
    return unlock(error);
}
int __tb_sem_wait(void *s) { return sem_take(s, 0); }
int __tb_sem_timedwait(void *s, uint64_t due) { (void)due; return sem_take(s, TIMED); }
int __tb_sem_trywait(void *s)
{
    lock();
    if (!sem_is_open(s))
        return unlock(EAGAIN);
    --*(unsigned *)s;
    return unlock(0);
}
int __tb_sem_post(void *s)
{
    lock();
    if (*(unsigned *)s == 0x7fffffff)
        return unlock(EOVERFLOW);
    ++*(unsigned *)s;
    return unlock_changed(0);
}
int __tb_sem_getvalue(void *s)
{
    lock();
    return unlock((int)*(unsigned *)s);
}

static bool spin_is_free(void *l) { return *(int *)l == 0; }
int __tb_spin_init(void *l)
{
    *(int *)l = 0;
    return 0;
}
int __tb_spin_destroy(void *l)
{
    (void)l;
    return 0;
}
int __tb_spin_lock(void *l)
{
    lock();
    wait_for(spin_is_free, l, 0, 0);
    *(int *)l = 1;
    return unlock(0);
}
int __tb_spin_trylock(void *l)
{
    lock();
    if (!spin_is_free(l))
        return unlock(EBUSY);
    *(int *)l = 1;
    return unlock(0);
}
int __tb_spin_unlock(void *l)
{
    lock();
    *(int *)l = 0;
    return unlock_changed(0);
}

struct barrier {
    int count, arrived, generation;
};
static bool barrier_is_open(void *b) { return ((struct barrier *)b)->generation != self->generation; }

int __tb_barrier_init(void *b, unsigned count)
{
    memset(b, 0, 32);
    ((struct barrier *)b)->count = (int)count;
    return 0;
}
int __tb_barrier_destroy(void *b)
{
    lock();
    if (((struct barrier *)b)->arrived)
        stop(98, "misuse: destroy of a barrier with waiters", "");
    return unlock(0);
}
int __tb_barrier_arrive(void *p, int told)
{
    (void)told;
    struct barrier *b = p;
    lock();
    self->generation = b->generation;
    if (++b->arrived < b->count)
        return unlock(0);
    b->arrived = 0;
    b->generation++;
    return unlock_changed(1);
}
int __tb_barrier_leave(void *b)
{
    lock();
    return unlock(wait_for(barrier_is_open, b, 0, 0));
}

static bool once_is_decided(void *once) { return *(int *)once != 1; }
int __tb_once_enter(int *once)
{
    lock();
    wait_for(once_is_decided, once, 0, 0);
    if (*once == 2)
        return unlock(0);
    *once = 1;
    return unlock(1);
}
int __tb_once_done(int *once)
{
    lock();
    *once = 2;
    return unlock_changed(0);
}
int __tb_once_abandon(int *once)
{
    lock();
    *once = 0;
    return unlock_changed(0);
}

/* ---- threads ---- */

static void *trampoline(void *argument)
{
    self_handle = (unsigned long)argument;
    pthread_mutex_lock(&big);
    self = threads[self_handle];
    pthread_mutex_unlock(&big);
    if (!setjmp(self->bottom)) {
        self->start(self->argument);
        stop(98, "misuse: a thread returned from its start", "");
    }
    return NULL;
}

unsigned long __tb_thread_create(void (*start)(void *), void *argument, int detached)
{
    lock();
    if (created + 1 == MAX_THREADS)
        stop(97, "too many threads", "");
    struct thread *t = calloc(1, sizeof *t);
    t->start = start;
    t->argument = argument;
    t->detached = detached;
    unsigned long handle = ++created;
    threads[handle] = t;
    alive++;
    pthread_t real;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&real, &attr, trampoline, (void *)handle))
        stop(97, "cannot create a thread", "");
    pthread_attr_destroy(&attr);
    unlock(0);
    return handle;
}

void __tb_thread_end(void *result)
{
    lock();
    self->result = result;
    self->ended = true;
    bool last = --alive == 0;
    unlock_changed(0);
    if (last)
        exit(0);
    if (__tb_thread_is_main())
        for (;;)
            pause();
    longjmp(self->bottom, 1);
}

static bool has_ended(void *t) { return ((struct thread *)t)->ended; }

static int join(unsigned long handle, void **result, int flags, bool try)
{
    lock();
    if (handle == 0 || handle > created)
        return unlock(ESRCH);
    struct thread *t = threads[handle];
    if (t->joined)
        return unlock(ESRCH);
    if (t->detached)
        return unlock(EINVAL);
    if (t == self)
        return unlock(EDEADLK);
    if (try && !t->ended)
        return unlock(EBUSY);
    int error = wait_for(has_ended, t, flags | CANCELLABLE, 0);
    if (error)
        return unlock(error);
    t->joined = true;
    if (result)
        *result = t->result;
    return unlock(0);
}
int __tb_thread_join(unsigned long t, void **result) { return join(t, result, 0, false); }
int __tb_thread_tryjoin(unsigned long t, void **result) { return join(t, result, 0, true); }
int __tb_thread_timedjoin(unsigned long t, void **result, uint64_t due) { (void)due; return join(t, result, TIMED, false); }

int __tb_thread_detach(unsigned long handle)
{
    lock();
    if (handle == 0 || handle > created || threads[handle]->joined)
        return unlock(ESRCH);
    if (threads[handle]->detached)
        return unlock(EINVAL);
    threads[handle]->detached = true;
    return unlock(0);
}
int __tb_thread_detached(unsigned long handle)
{
    lock();
    return unlock(threads[handle]->detached);
}

int __tb_thread_cancel(unsigned long handle)
{
    lock();
    if (handle == 0 || handle > created)
        return unlock(ESRCH);
    if (!threads[handle]->ended)
        threads[handle]->cancel_pending = true;
    return unlock_changed(0);
}
int __tb_testcancel(int may)
{
    lock();
    return unlock(may ? 0 : take_cancellation());
}
int __tb_cancel_state(int disabled)
{
    int before = self->cancel_disabled;
    self->cancel_disabled = disabled;
    return before;
}

void __tb_yield(void)
{
    release_hidden();
    sched_yield();
}
unsigned long __tb_thread_self(void) { return self_handle; }
int __tb_thread_is_main(void) { return self_handle == 1; }

/* ---- choices ---- */

static pthread_mutex_t atomic_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int64_t __tb_choose(int64_t low, int64_t high) { return low + (stress ? chance((unsigned)(high - low + 1)) : 0); }
uint64_t __tb_nondet(unsigned bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
void __tb_assume(int condition)
{
    if (!condition)
        stop(96, "assumption failed", "");
}
void __tb_error(const char *message) { stop(95, "error: ", message); }
void __tb_assert(int condition, const char *message)
{
    if (!condition)
        stop(94, "assertion failed: ", message);
}
void __tb_atomic_begin(void)
{
    release_hidden();
    pthread_mutex_lock(&atomic_lock);
}
void __tb_atomic_end(void) { pthread_mutex_unlock(&atomic_lock); }
void __tb_label(const char *name) { printf("label %s\n", name); }
void __tb_progress(void) {}
void __tb_abstract(const void *object, size_t size) { (void)object, (void)size; }
