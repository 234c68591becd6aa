/* Tests of the thread libraries, one a run: threads_test NAME. Those of the list `both` print what they see, and must print
 * the same with the C library's threads; those of the list `ours` check what is ours alone. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SHOW(expression) printf("%s: %d\n", #expression, (int)(expression))
#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) {                                              \
            printf("FAIL %s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            exit(1);                                                     \
        }                                                                \
    } while (0)

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += ms % 1000 * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static const struct timespec past = {1, 0}, bad = {1, 1000000000}, negative = {1, -1};

static bool is_after(clockid_t clock, const struct timespec *deadline)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static pthread_t start(void *(*routine)(void *), void *argument)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, routine, argument) == 0);
    return t;
}

static void *finish(pthread_t t)
{
    void *result = NULL;
    CHECK(pthread_join(t, &result) == 0);
    return result;
}

/* ---- threads ---- */

static sem_t ready, go;

static void *wait_for_go(void *argument)
{
    sem_post(&ready);
    while (sem_wait(&go))
        ;
    return argument;
}

static void *add_one(void *argument) { return (char *)argument + 1; }
static void *exit_with(void *argument) { pthread_exit((char *)argument + 2); }
static void *own_handle(void *argument)
{
    *(pthread_t *)argument = pthread_self();
    return NULL;
}

static void test_create_join(void)
{
    char base[4];
    SHOW((char *)finish(start(add_one, base)) - base);
    SHOW((char *)finish(start(exit_with, base)) - base);
    pthread_t seen, t = start(own_handle, &seen);
    SHOW(pthread_join(t, NULL));
    SHOW(pthread_equal(seen, t) != 0);
    SHOW(pthread_equal(t, pthread_self()) != 0);
    SHOW(pthread_join(pthread_self(), NULL) == EDEADLK);
}

static void test_other_joins(void)
{
    char base[1];
    void *result = NULL;
    pthread_t t = start(wait_for_go, base);
    sem_wait(&ready);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5), soon_too = in_ms(CLOCK_MONOTONIC, 10);
    SHOW(pthread_tryjoin_np(t, &result) == EBUSY);
    SHOW(pthread_timedjoin_np(t, &result, &soon) == ETIMEDOUT);
    SHOW(is_after(CLOCK_REALTIME, &soon));
    SHOW(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &soon_too) == ETIMEDOUT);
    SHOW(is_after(CLOCK_MONOTONIC, &soon_too));
    SHOW(pthread_clockjoin_np(t, &result, CLOCK_PROCESS_CPUTIME_ID, &soon) == EINVAL);
    SHOW(result == NULL);
    sem_post(&go);
    SHOW(pthread_timedjoin_np(t, &result, NULL));
    SHOW(result == base);
    t = start(wait_for_go, base);
    sem_wait(&ready);
    sem_post(&go);
    struct timespec later = in_ms(CLOCK_MONOTONIC, 5000);
    SHOW(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, &later));
}

static void *is_detached(void *argument)
{
    pthread_attr_t attr;
    int state;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getdetachstate(&attr, &state);
    pthread_attr_destroy(&attr);
    *(int *)argument = state == PTHREAD_CREATE_DETACHED;
    sem_post(&ready);
    sem_wait(&go);
    return NULL;
}

static void test_detach(void)
{
    static int seen;
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    SHOW(pthread_create(&t, &attr, is_detached, &seen));
    sem_wait(&ready);
    SHOW(seen);
    SHOW(pthread_join(t, NULL) == EINVAL);
    SHOW(pthread_detach(t) == EINVAL);
    sem_post(&go);
    t = start(is_detached, &seen);
    sem_wait(&ready);
    SHOW(seen);
    SHOW(pthread_detach(t));
    SHOW(pthread_detach(t) == EINVAL);
    SHOW(pthread_join(t, NULL) == EINVAL);
    sem_post(&go);
}

static void test_attributes(void)
{
    pthread_attr_t a;
    int n = -1;
    size_t size;
    void *address;
    struct sched_param param = {.sched_priority = 7};
    SHOW(pthread_attr_init(&a));
    SHOW((pthread_attr_getdetachstate(&a, &n), n));
    SHOW((pthread_attr_getinheritsched(&a, &n), n));
    SHOW((pthread_attr_getschedpolicy(&a, &n), n));
    SHOW((pthread_attr_getscope(&a, &n), n));
    SHOW((pthread_attr_getschedparam(&a, &param), param.sched_priority));
    SHOW((pthread_attr_getguardsize(&a, &size), size));
    SHOW(pthread_attr_setdetachstate(&a, 2) == EINVAL);
    SHOW(pthread_attr_setinheritsched(&a, 2) == EINVAL);
    SHOW(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED));
    SHOW((pthread_attr_getinheritsched(&a, &n), n));
    SHOW(pthread_attr_setschedpolicy(&a, 77) == EINVAL);
    SHOW(pthread_attr_setschedparam(&a, &(struct sched_param){5}) == EINVAL);
    SHOW(pthread_attr_setschedpolicy(&a, SCHED_FIFO));
    SHOW((pthread_attr_getschedpolicy(&a, &n), n));
    SHOW(pthread_attr_setschedparam(&a, &(struct sched_param){5}));
    SHOW(pthread_attr_setschedparam(&a, &(struct sched_param){100}) == EINVAL);
    SHOW((pthread_attr_getschedparam(&a, &param), param.sched_priority));
    SHOW(pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    SHOW(pthread_attr_setscope(&a, 9) == EINVAL);
    SHOW(pthread_attr_setscope(&a, PTHREAD_SCOPE_SYSTEM));
    SHOW(pthread_attr_setguardsize(&a, 12345));
    SHOW((pthread_attr_getguardsize(&a, &size), size));
    SHOW(pthread_attr_setstacksize(&a, 100) == EINVAL);
    SHOW(pthread_attr_setstacksize(&a, 65536));
    SHOW((pthread_attr_getstacksize(&a, &size), size));
    static char stack[65536];
    SHOW(pthread_attr_setstack(&a, stack, 10) == EINVAL);
    SHOW(pthread_attr_setstack(&a, stack, sizeof stack));
    SHOW((pthread_attr_getstack(&a, &address, &size), address == stack && size == sizeof stack));
    sigset_t mask, got;
    SHOW(pthread_attr_getsigmask_np(&a, &got) == PTHREAD_ATTR_NO_SIGMASK_NP);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    SHOW(pthread_attr_setsigmask_np(&a, &mask));
    SHOW(pthread_attr_getsigmask_np(&a, &got));
    SHOW(sigismember(&got, SIGUSR1));
    SHOW(sigismember(&got, SIGUSR2));
    SHOW(pthread_attr_destroy(&a));
    SHOW(pthread_getattr_default_np(&a));
    SHOW((pthread_attr_getdetachstate(&a, &n), n));
    SHOW(pthread_attr_destroy(&a));
}

static void test_names(void)
{
    char name[16], tiny[3];
    SHOW(pthread_setname_np(pthread_self(), "fifteen letters"));
    SHOW(pthread_getname_np(pthread_self(), name, sizeof name));
    puts(name);
    SHOW(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
    SHOW(pthread_getname_np(pthread_self(), tiny, sizeof tiny) == ERANGE);
    SHOW(pthread_setname_np(pthread_self(), ""));
    SHOW(pthread_setname_np(pthread_self(), "x"));
    SHOW((pthread_getname_np(pthread_self(), name, sizeof name), strcmp(name, "x")));
}

static volatile sig_atomic_t handled;
static void handle(int signal) { handled = signal; }

static void *blocked_signals(void *argument)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    *(int *)argument = sigismember(&set, SIGUSR1) + 2 * sigismember(&set, SIGUSR2);
    return NULL;
}

static void test_signal_masks(void)
{
    sigset_t set;
    int seen;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    SHOW(pthread_sigmask(SIG_SETMASK, &set, NULL));
    SHOW((finish(start(blocked_signals, &seen)), seen));
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    sigaddset(&set, SIGUSR2);
    pthread_attr_setsigmask_np(&attr, &set);
    SHOW(pthread_create(&t, &attr, blocked_signals, &seen));
    SHOW((finish(t), seen));
    SHOW((finish(start(blocked_signals, &seen)), seen));
}

static void test_signals(void)
{
    sigset_t set, old;
    sigemptyset(&set);
    SHOW(pthread_sigmask(SIG_BLOCK, &set, &old));
    SHOW(sigismember(&old, SIGUSR1));
    SHOW(pthread_sigmask(99, &set, NULL) == EINVAL);
    SHOW(pthread_sigmask(99, NULL, &old));
    signal(SIGUSR1, handle);
    SHOW(pthread_kill(pthread_self(), SIGUSR1));
    SHOW(handled == SIGUSR1);
    pthread_t t = start(wait_for_go, NULL);
    SHOW(pthread_kill(t, 0));
    SHOW(pthread_kill(t, 1000) == EINVAL);
    sem_post(&go);
    finish(t);
}

static void test_scheduling(void)
{
    int policy;
    struct sched_param param;
    SHOW(sched_get_priority_min(SCHED_OTHER));
    SHOW(sched_get_priority_max(SCHED_OTHER));
    SHOW(sched_get_priority_min(SCHED_FIFO));
    SHOW(sched_get_priority_max(SCHED_RR));
    SHOW(sched_get_priority_max(1234) == -1 && errno == EINVAL);
    SHOW(sched_getscheduler(0) == SCHED_OTHER);
    SHOW((sched_getparam(0, &param), param.sched_priority));
    SHOW(pthread_getschedparam(pthread_self(), &policy, &param));
    SHOW(policy);
    SHOW(param.sched_priority);
    SHOW(pthread_setschedparam(pthread_self(), SCHED_OTHER, &(struct sched_param){0}));
    SHOW(pthread_setschedparam(pthread_self(), SCHED_OTHER, &(struct sched_param){3}) == EINVAL);
    SHOW(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){3}) == -1 && errno == EINVAL);
    SHOW(pthread_setschedprio(pthread_self(), 0));
    SHOW(sched_yield());
    SHOW(pthread_getconcurrency());
    SHOW(pthread_setconcurrency(-1) == EINVAL);
    SHOW(pthread_setconcurrency(4));
    SHOW(pthread_getconcurrency());
    cpu_set_t set;
    SHOW(sched_getaffinity(0, sizeof set, &set));
    SHOW(CPU_COUNT(&set) > 0 && CPU_ISSET(0, &set));
    SHOW(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    SHOW(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    CPU_ZERO(&set);
    SHOW(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == EINVAL);
    SHOW(CPU_COUNT(&set));
    cpu_set_t *big = CPU_ALLOC(2000);
    CPU_ZERO_S(CPU_ALLOC_SIZE(2000), big);
    CPU_SET_S(1999, CPU_ALLOC_SIZE(2000), big);
    SHOW(CPU_COUNT_S(CPU_ALLOC_SIZE(2000), big));
    CPU_FREE(big);
    SHOW(pthread_atfork(NULL, NULL, NULL));
}

/* ---- mutexes ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void test_mutex_attributes(void)
{
    pthread_mutexattr_t a;
    int n = -1;
    SHOW(pthread_mutexattr_init(&a));
    SHOW((pthread_mutexattr_gettype(&a, &n), n));
    SHOW((pthread_mutexattr_getpshared(&a, &n), n));
    SHOW((pthread_mutexattr_getprotocol(&a, &n), n));
    SHOW((pthread_mutexattr_getrobust(&a, &n), n));
    SHOW(pthread_mutexattr_settype(&a, 4) == EINVAL);
    SHOW(pthread_mutexattr_settype(&a, -1) == EINVAL);
    for (int type = 0; type < 4; type++) {
        SHOW(pthread_mutexattr_settype(&a, type));
        SHOW((pthread_mutexattr_gettype(&a, &n), n));
    }
    SHOW(pthread_mutexattr_setpshared(&a, 2) == EINVAL);
    SHOW(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    SHOW((pthread_mutexattr_getpshared(&a, &n), n));
    SHOW((pthread_mutexattr_gettype(&a, &n), n));
    SHOW(pthread_mutexattr_setprotocol(&a, 7) == EINVAL);
    SHOW(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE));
    SHOW(pthread_mutexattr_setrobust(&a, 7) == EINVAL);
    SHOW(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_STALLED));
    SHOW(pthread_mutexattr_setprioceiling(&a, 1000) == EINVAL);
    SHOW(pthread_mutexattr_setprioceiling(&a, 12));
    SHOW((pthread_mutexattr_getprioceiling(&a, &n), n));
    SHOW(pthread_mutexattr_destroy(&a));
    SHOW(pthread_mutex_consistent(&mutex) == EINVAL);
    SHOW(pthread_mutex_getprioceiling(&mutex, &n) == EINVAL);
    SHOW(pthread_mutex_setprioceiling(&mutex, 3, &n) == EINVAL);
}

static void *try_mutex(void *m) { return (void *)(intptr_t)pthread_mutex_trylock(m); }
static void *unlock_mutex(void *m) { return (void *)(intptr_t)pthread_mutex_unlock(m); }

static void show_mutex(pthread_mutex_t *m)
{
    SHOW(pthread_mutex_lock(m));
    SHOW((intptr_t)finish(start(try_mutex, m)) == EBUSY);
    SHOW((intptr_t)finish(start(unlock_mutex, m)) == EPERM);
    SHOW(pthread_mutex_lock(m));
    SHOW(pthread_mutex_trylock(m));
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    SHOW(pthread_mutex_timedlock(m, &t));
}

static void test_mutex_types(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t m;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    SHOW(pthread_mutex_init(&m, &a));
    show_mutex(&m);
    for (int i = 0; i < 4; i++)
        SHOW(pthread_mutex_unlock(&m));
    SHOW(pthread_mutex_unlock(&m) == EPERM);
    SHOW(pthread_mutex_destroy(&m));
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    SHOW(pthread_mutex_init(&m, &a));
    show_mutex(&m);
    SHOW(pthread_mutex_unlock(&m));
    SHOW(pthread_mutex_unlock(&m) == EPERM);
    SHOW(pthread_mutex_destroy(&m));
    pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    SHOW(pthread_mutex_lock(&r));
    SHOW(pthread_mutex_lock(&r));
    pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    SHOW(pthread_mutex_lock(&e));
    SHOW(pthread_mutex_lock(&e) == EDEADLK);
}

static void *hold_mutex(void *m)
{
    pthread_mutex_lock(m);
    wait_for_go(NULL);
    pthread_mutex_unlock(m);
    return NULL;
}

static void test_mutex_timed(void)
{
    SHOW(pthread_mutex_timedlock(&mutex, &bad));
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_mutex_timedlock(&mutex, &past));
    SHOW(pthread_mutex_unlock(&mutex));
    pthread_t t = start(hold_mutex, &mutex);
    sem_wait(&ready);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5), soon_too = in_ms(CLOCK_MONOTONIC, 10);
    SHOW(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
    SHOW(pthread_mutex_timedlock(&mutex, &negative) == EINVAL);
    SHOW(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
    SHOW(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT);
    SHOW(is_after(CLOCK_REALTIME, &soon));
    SHOW(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon_too) == ETIMEDOUT);
    SHOW(is_after(CLOCK_MONOTONIC, &soon_too));
    SHOW(pthread_mutex_clocklock(&mutex, 99, &soon) == EINVAL);
    sem_post(&go);
    struct timespec later = in_ms(CLOCK_REALTIME, 5000);
    SHOW(pthread_mutex_timedlock(&mutex, &later));
    SHOW(pthread_mutex_unlock(&mutex));
    finish(t);
}

static int counter;
static pthread_spinlock_t spin;

static void *count_with_spin(void *argument)
{
    for (int i = 0; i < 200; i++) {
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
    }
    return argument;
}

static void *try_spin(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)pthread_spin_trylock(&spin);
}

static void test_spin(void)
{
    SHOW(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(count_with_spin, NULL);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    SHOW(counter);
    SHOW(pthread_spin_trylock(&spin));
    SHOW((intptr_t)finish(start(try_spin, NULL)) == EBUSY);
    SHOW(pthread_spin_unlock(&spin));
    SHOW(pthread_spin_destroy(&spin));
}

/* ---- condition variables ---- */

static void test_cond_attributes(void)
{
    pthread_condattr_t a;
    int n = -1;
    clockid_t clock = -1;
    SHOW(pthread_condattr_init(&a));
    SHOW((pthread_condattr_getpshared(&a, &n), n));
    SHOW((pthread_condattr_getclock(&a, &clock), clock));
    SHOW(pthread_condattr_setpshared(&a, 3) == EINVAL);
    SHOW(pthread_condattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    SHOW(pthread_condattr_setclock(&a, CLOCK_THREAD_CPUTIME_ID) == EINVAL);
    SHOW(pthread_condattr_setclock(&a, CLOCK_MONOTONIC));
    SHOW((pthread_condattr_getpshared(&a, &n), n));
    SHOW((pthread_condattr_getclock(&a, &clock), clock));
    pthread_cond_t c;
    SHOW(pthread_cond_init(&c, &a));
    SHOW(pthread_mutex_lock(&mutex));
    struct timespec t = in_ms(CLOCK_MONOTONIC, 5);
    SHOW(pthread_cond_timedwait(&c, &mutex, &t) == ETIMEDOUT);
    SHOW(is_after(CLOCK_MONOTONIC, &t));
    t = in_ms(CLOCK_REALTIME, 5);
    SHOW(pthread_cond_clockwait(&c, &mutex, CLOCK_REALTIME, &t) == ETIMEDOUT);
    SHOW(is_after(CLOCK_REALTIME, &t));
    SHOW(pthread_cond_clockwait(&c, &mutex, 77, &t) == EINVAL);
    SHOW(pthread_cond_timedwait(&c, &mutex, &bad) == EINVAL);
    SHOW(pthread_cond_timedwait(&c, &mutex, &negative) == EINVAL);
    SHOW(pthread_mutex_unlock(&mutex));
    SHOW(pthread_cond_destroy(&c));
    SHOW(pthread_condattr_destroy(&a));
}

static int turn, order[16], ordered;

static void *take_turn(void *argument)
{
    int me = (int)(intptr_t)argument;
    for (int round = 0; round < 4; round++) {
        pthread_mutex_lock(&mutex);
        while (turn % 3 != me)
            pthread_cond_wait(&cond, &mutex);
        order[ordered++] = me;
        turn++;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static void test_cond_turns(void)
{
    pthread_t t[3];
    for (intptr_t i = 0; i < 3; i++)
        t[i] = start(take_turn, (void *)i);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    for (int i = 0; i < ordered; i++)
        printf("%d ", order[i]);
    SHOW(pthread_cond_signal(&cond));
    SHOW(pthread_cond_destroy(&cond));
}

/* ---- read-write locks, barriers ---- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *hold_writer(void *argument)
{
    pthread_rwlock_wrlock(&rwlock);
    wait_for_go(argument);
    pthread_rwlock_unlock(&rwlock);
    return NULL;
}

static void *try_write(void *argument)
{
    (void)argument;
    return (void *)(intptr_t)pthread_rwlock_trywrlock(&rwlock);
}

static void *try_read(void *argument)
{
    (void)argument;
    int error = pthread_rwlock_tryrdlock(&rwlock);
    if (!error)
        pthread_rwlock_unlock(&rwlock);
    return (void *)(intptr_t)error;
}

static void test_rwlock(void)
{
    pthread_rwlockattr_t a;
    int n;
    SHOW(pthread_rwlockattr_init(&a));
    SHOW((pthread_rwlockattr_getpshared(&a, &n), n));
    SHOW((pthread_rwlockattr_getkind_np(&a, &n), n));
    SHOW(pthread_rwlockattr_setpshared(&a, 5) == EINVAL);
    SHOW(pthread_rwlockattr_setpshared(&a, 1));
    SHOW((pthread_rwlockattr_getpshared(&a, &n), n));
    SHOW(pthread_rwlockattr_setkind_np(&a, 5) == EINVAL);
    SHOW(pthread_rwlockattr_setkind_np(&a, 1));
    SHOW((pthread_rwlockattr_getkind_np(&a, &n), n));
    pthread_rwlock_t other;
    SHOW(pthread_rwlock_init(&other, &a));
    SHOW(pthread_rwlock_wrlock(&other));
    SHOW(pthread_rwlock_wrlock(&other) == EDEADLK);
    SHOW(pthread_rwlock_rdlock(&other) == EDEADLK);
    SHOW(pthread_rwlock_unlock(&other));
    SHOW(pthread_rwlock_destroy(&other));
    SHOW(pthread_rwlockattr_destroy(&a));
    SHOW(pthread_rwlock_rdlock(&rwlock));
    SHOW(pthread_rwlock_tryrdlock(&rwlock));
    SHOW((intptr_t)finish(start(try_write, NULL)) == EBUSY);
    SHOW((intptr_t)finish(start(try_read, NULL)));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_unlock(&rwlock));
    pthread_t t = start(hold_writer, NULL);
    sem_wait(&ready);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5), soon_too = in_ms(CLOCK_MONOTONIC, 10);
    SHOW(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &soon) == ETIMEDOUT);
    SHOW(is_after(CLOCK_REALTIME, &soon));
    SHOW(pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
    SHOW(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &soon_too) == ETIMEDOUT);
    SHOW(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    SHOW(pthread_rwlock_clockwrlock(&rwlock, 55, &soon) == EINVAL);
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &bad) == EINVAL);
    sem_post(&go);
    soon = in_ms(CLOCK_REALTIME, 5000);
    SHOW(pthread_rwlock_timedwrlock(&rwlock, &soon));
    SHOW(pthread_rwlock_unlock(&rwlock));
    SHOW(pthread_rwlock_timedrdlock(&rwlock, &bad) == EINVAL);
    finish(t);
}

static pthread_barrier_t barrier;
static atomic_int serials, phases[5];

static void *through_barrier(void *argument)
{
    for (int phase = 0; phase < 5; phase++) {
        phases[phase]++;
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        serials += result == PTHREAD_BARRIER_SERIAL_THREAD;
        CHECK(phases[phase] == 3);
    }
    return argument;
}

static void test_barrier(void)
{
    pthread_barrierattr_t a;
    int n;
    SHOW(pthread_barrierattr_init(&a));
    SHOW((pthread_barrierattr_getpshared(&a, &n), n));
    SHOW(pthread_barrierattr_setpshared(&a, 4) == EINVAL);
    SHOW(pthread_barrierattr_setpshared(&a, 1));
    SHOW((pthread_barrierattr_getpshared(&a, &n), n));
    SHOW(pthread_barrier_init(&barrier, &a, 0) == EINVAL);
    SHOW(pthread_barrier_init(&barrier, &a, UINT_MAX) == EINVAL);
    SHOW(pthread_barrier_init(&barrier, &a, 1));
    SHOW(pthread_barrier_wait(&barrier));
    SHOW(pthread_barrier_destroy(&barrier));
    SHOW(pthread_barrier_init(&barrier, NULL, 3));
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(through_barrier, NULL);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    SHOW(serials);
    SHOW(pthread_barrier_destroy(&barrier));
    SHOW(pthread_barrierattr_destroy(&a));
}

/* ---- semaphores ---- */

static void test_semaphore(void)
{
    sem_t s;
    int n;
    SHOW(sem_init(&s, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    SHOW(sem_init(&s, 0, 2));
    SHOW(sem_wait(&s));
    SHOW(sem_trywait(&s));
    SHOW(sem_trywait(&s) == -1 && errno == EAGAIN);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5), soon_too = in_ms(CLOCK_MONOTONIC, 10);
    SHOW(sem_timedwait(&s, &soon) == -1 && errno == ETIMEDOUT);
    SHOW(is_after(CLOCK_REALTIME, &soon));
    SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, &soon_too) == -1 && errno == ETIMEDOUT);
    SHOW(is_after(CLOCK_MONOTONIC, &soon_too));
    SHOW(sem_timedwait(&s, &past) == -1 && errno == ETIMEDOUT);
    SHOW(sem_timedwait(&s, &bad) == -1 && errno == EINVAL);
    SHOW(sem_clockwait(&s, 88, &soon) == -1 && errno == EINVAL);
    SHOW(sem_post(&s));
    SHOW((sem_getvalue(&s, &n), n));
    SHOW(sem_timedwait(&s, &bad) == -1 && errno == EINVAL);
    SHOW(sem_timedwait(&s, &past));
    SHOW(sem_destroy(&s));
    SHOW(sem_init(&s, 1, SEM_VALUE_MAX));
    SHOW(sem_post(&s) == -1 && errno == EOVERFLOW);
    SHOW((sem_getvalue(&s, &n), n == SEM_VALUE_MAX));
}

/* ---- once ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_runs, once_finished;

static void once_simple(void) { once_runs++; }

static void once_that_waits(void)
{
    once_runs++;
    wait_for_go(NULL);
    once_finished++;
}

static void once_that_exits(void)
{
    once_runs++;
    pthread_exit("left");
}

static void *run_once(void *routine)
{
    pthread_once(&once, (void (*)(void))routine);
    return "done";
}

static void test_once(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        t[i] = start(run_once, (void *)once_simple);
    for (int i = 0; i < 4; i++)
        finish(t[i]);
    SHOW(once_runs);
}

static void test_once_abandoned(void)
{
    puts(finish(start(run_once, (void *)once_that_exits)));
    pthread_t t = start(run_once, (void *)once_that_waits);
    sem_wait(&ready);
    SHOW(pthread_cancel(t));
    SHOW(finish(t) == PTHREAD_CANCELED);
    SHOW(once_runs);
    SHOW(once_finished);
    sem_post(&go);
    t = start(run_once, (void *)once_that_waits);
    sem_wait(&ready);
    puts(finish(t));
    puts(finish(start(run_once, (void *)once_simple)));
    SHOW(once_runs);
    SHOW(once_finished);
}

/* ---- keys ---- */

static pthread_key_t keys[40];
static int calls[40];

static void destroy_key(void *value) { calls[(int *)value - calls]++; }
static void destroy_and_set(void *value)
{
    calls[0]++;
    pthread_setspecific(keys[0], value);
}
static void destroy_and_set_other(void *value)
{
    calls[1]++;
    pthread_setspecific(keys[2], value);
}
static void destroy_last(void *value)
{
    calls[2] += value != NULL;
    calls[3] = pthread_getspecific(keys[2]) == NULL;
}

static void *set_all_keys(void *argument)
{
    for (int i = 0; i < 40; i++)
        CHECK(pthread_getspecific(keys[i]) == NULL);
    for (int i = 39; i >= 0; i--)
        CHECK(pthread_setspecific(keys[i], i % 7 ? &calls[i] : NULL) == 0);
    for (int i = 0; i < 40; i++)
        CHECK(pthread_getspecific(keys[i]) == (i % 7 ? &calls[i] : NULL));
    return argument;
}

static void test_keys_many(void)
{
    for (int i = 0; i < 40; i++)
        CHECK(pthread_key_create(&keys[i], i % 5 ? destroy_key : NULL) == 0);
    pthread_t t[2] = {start(set_all_keys, NULL), start(set_all_keys, NULL)};
    finish(t[0]);
    finish(t[1]);
    for (int i = 0; i < 40; i++)
        printf("%d ", calls[i]);
    SHOW(pthread_key_delete(keys[3]));
    SHOW(pthread_key_delete(keys[3]) == EINVAL);
    SHOW(pthread_setspecific(keys[3], calls) == EINVAL);
    SHOW(pthread_setspecific(999999, calls) == EINVAL);
    SHOW(pthread_key_delete(999999) == EINVAL);
    SHOW(pthread_getspecific(999999) == NULL);
}

static void *set_for_rounds(void *argument)
{
    pthread_setspecific(keys[0], argument);
    return NULL;
}
static void *set_for_chain(void *argument)
{
    pthread_setspecific(keys[1], argument);
    return NULL;
}

static void test_keys_rounds(void)
{
    pthread_key_create(&keys[0], destroy_and_set);
    pthread_key_create(&keys[1], destroy_and_set_other);
    pthread_key_create(&keys[2], destroy_last);
    finish(start(set_for_rounds, calls));
    SHOW(calls[0]);
    finish(start(set_for_chain, calls));
    SHOW(calls[1]);
    SHOW(calls[2]);
    SHOW(calls[3]);
}

static void test_keys_reused(void)
{
    pthread_key_t first, second, all[PTHREAD_KEYS_MAX];
    SHOW(pthread_key_create(&first, NULL));
    pthread_setspecific(first, &first);
    SHOW(pthread_getspecific(first) == &first);
    SHOW(pthread_key_delete(first));
    SHOW(pthread_key_create(&second, NULL));
    SHOW(first == second);
    SHOW(pthread_getspecific(second) == NULL);
    SHOW(pthread_key_delete(second));
    int n = 0;
    while (n < PTHREAD_KEYS_MAX && pthread_key_create(&all[n], NULL) == 0)
        n++;
    SHOW(n > 1000);
    SHOW(pthread_key_create(&first, NULL) == EAGAIN);
    for (int i = 0; i < n; i++)
        CHECK(pthread_setspecific(all[i], &all[i]) == 0);
    for (int i = 0; i < n; i++)
        CHECK(pthread_getspecific(all[i]) == &all[i]);
}

static void *create_and_delete_keys(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_key_t key;
        CHECK(pthread_key_create(&key, NULL) == 0);
        CHECK(pthread_getspecific(key) == NULL);
        CHECK(pthread_setspecific(key, &key) == 0);
        CHECK(pthread_getspecific(key) == &key);
        CHECK(pthread_key_delete(key) == 0);
    }
    return argument;
}

static void test_keys_concurrent(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(create_and_delete_keys, NULL);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    puts("created and deleted");
}

static void *delete_own_key(void *argument)
{
    pthread_setspecific(keys[0], argument);
    pthread_key_delete(keys[0]);
    return NULL;
}

static void test_keys_deleted(void)
{
    pthread_key_create(&keys[0], destroy_key);
    finish(start(delete_own_key, calls));
    SHOW(calls[0]);
}

/* ---- cleanup handlers and cancellation ---- */

static void say(void *text) { printf("handler %s\n", (const char *)text); }

static void deeper(void)
{
    pthread_cleanup_push(say, "third");
    pthread_exit("exited");
    pthread_cleanup_pop(0);
}

static void *exit_in_handlers(void *argument)
{
    (void)argument;
    pthread_cleanup_push(say, "popped, executed");
    pthread_cleanup_pop(1);
    pthread_cleanup_push(say, "popped, not executed");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(say, "first");
    pthread_cleanup_push_defer_np(say, "second");
    pthread_cleanup_push(say, "popped within");
    pthread_cleanup_pop(1);
    deeper();
    pthread_cleanup_pop_restore_np(1);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *return_with_handlers_popped(void *argument)
{
    int local = 1;
    pthread_cleanup_push(say, "never");
    local++;
    pthread_cleanup_pop(local == 3);
    return argument;
}

static void test_cleanup(void)
{
    puts(finish(start(exit_in_handlers, NULL)));
    puts(finish(start(return_with_handlers_popped, "returned")));
}

static void once_with_handler(void)
{
    pthread_cleanup_push(say, "inside once");
    pthread_testcancel();
    pthread_exit("from once");
    pthread_cleanup_pop(0);
}

static void *handlers_around_once(void *argument)
{
    pthread_cleanup_push(say, "around once");
    pthread_once(&once, once_with_handler);
    pthread_cleanup_pop(0);
    return argument;
}

static void test_cleanup_nested(void)
{
    puts(finish(start(handlers_around_once, NULL)));
    puts(finish(start(run_once, (void *)once_simple)));
    SHOW(once_runs);
}

static void unlock_it(void *m) { printf("handler unlocks: %d\n", pthread_mutex_unlock(m)); }

static void *cancelled_in_cond(void *timed)
{
    struct timespec far = in_ms(CLOCK_REALTIME, 60000);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock_it, &mutex);
    sem_post(&ready);
    for (;;)
        timed ? pthread_cond_timedwait(&cond, &mutex, &far) : pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *cancelled_in_sem(void *argument)
{
    pthread_cleanup_push(say, "of sem_wait");
    sem_post(&ready);
    sem_wait(argument);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *cancelled_in_join(void *argument)
{
    pthread_cleanup_push(say, "of join");
    sem_post(&ready);
    pthread_join(*(pthread_t *)argument, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *cancelled_in_sleep(void *argument)
{
    pthread_cleanup_push(say, "of sleep");
    sem_post(&ready);
    for (;;)
        sleep(10);
    pthread_cleanup_pop(0);
    return argument;
}

static void *cancelled_in_loop(void *argument)
{
    pthread_cleanup_push(say, "of a loop");
    sem_post(&ready);
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return argument;
}

static void cancel_when_ready(void *(*routine)(void *), void *argument)
{
    pthread_t t = start(routine, argument);
    sem_wait(&ready);
    int error = pthread_cancel(t);
    SHOW(finish(t) == PTHREAD_CANCELED);
    SHOW(error);
}

static void test_cancel_points(void)
{
    sem_t never;
    sem_init(&never, 0, 0);
    cancel_when_ready(cancelled_in_cond, NULL);
    SHOW(pthread_mutex_trylock(&mutex));
    SHOW(pthread_mutex_unlock(&mutex));
    cancel_when_ready(cancelled_in_sem, &never);
    cancel_when_ready(cancelled_in_loop, NULL);
    cancel_when_ready(cancelled_in_sleep, NULL);
    pthread_t t = start(wait_for_go, NULL);
    sem_wait(&ready);
    cancel_when_ready(cancelled_in_join, &t);
    sem_post(&go);
    SHOW(finish(t) == NULL);
    sem_post(&never);
    SHOW(sem_trywait(&never));
}

static void test_cancel_timedwait(void)
{
    cancel_when_ready(cancelled_in_cond, "timed");
    SHOW(pthread_mutex_trylock(&mutex));
}

static void *cancel_later(void *argument)
{
    int old;
    (void)argument;
    SHOW(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
    SHOW(old);
    wait_for_go(NULL);
    pthread_testcancel();
    puts("not yet");
    SHOW(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
    SHOW(old);
    pthread_testcancel();
    puts("never printed");
    return NULL;
}

static void *has_no_points(void *argument)
{
    sem_post(&ready);
    return argument;
}

static void test_cancel_state(void)
{
    int old;
    SHOW(pthread_setcancelstate(7, NULL) == EINVAL);
    SHOW(pthread_setcanceltype(7, NULL) == EINVAL);
    SHOW(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
    SHOW(old);
    pthread_t t = start(cancel_later, NULL);
    sem_wait(&ready);
    CHECK(pthread_cancel(t) == 0);
    sem_post(&go);
    SHOW(finish(t) == PTHREAD_CANCELED);
    t = start(has_no_points, "not cancelled");
    sem_wait(&ready);
    pthread_cancel(t);
    puts(finish(t));
}

static void *cancels_itself(void *argument)
{
    pthread_cleanup_push(say, "of itself");
    pthread_cancel(pthread_self());
    puts("still here");
    pthread_testcancel();
    puts("gone");
    pthread_cleanup_pop(0);
    return argument;
}

/* A thread that is ending is not cancelled again. */
static void cancel_while_ending(void *text)
{
    pthread_cancel(pthread_self());
    pthread_testcancel();
    say(text);
}

static void *cancelled_while_ending(void *argument)
{
    pthread_cleanup_push(cancel_while_ending, "outer");
    pthread_cleanup_push(cancel_while_ending, "inner");
    pthread_exit("not cancelled");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return argument;
}

static void destroy_and_say(void *value)
{
    printf("destructor %s\n", (const char *)value);
    pthread_testcancel();
}

static void *cancelled_with_keys(void *argument)
{
    pthread_setspecific(keys[0], "of a key");
    pthread_cleanup_push(say, "before destructors");
    cancelled_in_sem(argument);
    pthread_cleanup_pop(0);
    return NULL;
}

static void test_cancel_self_and_keys(void)
{
    SHOW(finish(start(cancels_itself, NULL)) == PTHREAD_CANCELED);
    puts(finish(start(cancelled_while_ending, NULL)));
    pthread_key_create(&keys[0], destroy_and_say);
    sem_t never;
    sem_init(&never, 0, 0);
    cancel_when_ready(cancelled_with_keys, &never);
}

static void *after_main(void *argument)
{
    sem_wait(&go);
    printf("main left: %s\n", (const char *)argument);
    return NULL;
}

static void destroy_and_let_go(void *value)
{
    destroy_and_say(value);
    sem_post(&go);
}

static void test_exit_main(void)
{
    pthread_key_create(&keys[0], destroy_and_let_go);
    pthread_setspecific(keys[0], "of main");
    start(after_main, "and this is printed");
    pthread_cleanup_push(say, "of main, first");
    pthread_cleanup_push(say, "of main, second");
    fflush(stdout);
    pthread_exit("ignored");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

static void *joins_main(void *argument)
{
    void *result;
    SHOW(pthread_join(*(pthread_t *)argument, &result));
    puts(result);
    exit(3);
}

static void test_join_main(void)
{
    static pthread_t main_thread;
    main_thread = pthread_self();
    start(joins_main, &main_thread);
    pthread_exit("main's result");
}

/* ---- C11 ---- */

static mtx_t mtx;
static cnd_t cnd;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t tss;

static int c11_add(void *argument) { return *(int *)argument + 1; }
static int c11_exit(void *argument)
{
    tss_set(tss, argument);
    thrd_exit(-5);
}
static void c11_destroy(void *value) { ++*(int *)value; }

static void test_c11_threads(void)
{
    thrd_t t;
    int n = 41, result = 0;
    SHOW(thrd_create(&t, c11_add, &n));
    SHOW(thrd_join(t, &result));
    SHOW(result);
    SHOW(tss_create(&tss, c11_destroy));
    SHOW(thrd_create(&t, c11_exit, &n));
    SHOW(thrd_join(t, &result));
    SHOW(result);
    SHOW(n);
    SHOW(thrd_equal(thrd_current(), thrd_current()) != 0);
    SHOW(tss_get(tss) == NULL);
    SHOW(tss_set(tss, &n));
    SHOW(tss_get(tss) == &n);
    tss_delete(tss);
    thrd_yield();
    SHOW(thrd_sleep(&(struct timespec){0, 1000}, NULL));
    SHOW(thrd_sleep(&bad, NULL) < -1);
    SHOW(thrd_create(&t, c11_add, &n));
    SHOW(thrd_detach(t));
}

static int c11_try(void *argument)
{
    struct timespec soon = in_ms(CLOCK_REALTIME, 5);
    int tried = mtx_trylock(argument);
    return tried * 10 + mtx_timedlock(argument, &soon);
}

static void test_c11_mutex(void)
{
    static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive, mtx_timed | mtx_recursive};
    thrd_t t;
    int result;
    for (int i = 0; i < 4; i++) {
        SHOW(mtx_init(&mtx, types[i]));
        SHOW(mtx_lock(&mtx));
        SHOW(mtx_trylock(&mtx));
        thrd_create(&t, c11_try, &mtx);
        SHOW((thrd_join(t, &result), result));
        if (types[i] & mtx_recursive)
            SHOW(mtx_unlock(&mtx));
        SHOW(mtx_timedlock(&mtx, &past));
        if (types[i] & mtx_recursive)
            SHOW(mtx_unlock(&mtx));
        SHOW(mtx_unlock(&mtx));
        mtx_destroy(&mtx);
    }
}

static int c11_wait(void *argument)
{
    mtx_lock(&mtx);
    while (!*(int *)argument)
        cnd_wait(&cnd, &mtx);
    mtx_unlock(&mtx);
    return 7;
}

static void c11_once(void) { once_runs++; }

static void test_c11_cond(void)
{
    thrd_t t[2];
    int go_on = 0, result;
    mtx_init(&mtx, mtx_plain);
    SHOW(cnd_init(&cnd));
    for (int i = 0; i < 2; i++)
        thrd_create(&t[i], c11_wait, &go_on);
    mtx_lock(&mtx);
    struct timespec soon = in_ms(CLOCK_REALTIME, 5);
    go_on = 1;
    SHOW(cnd_signal(&cnd));
    SHOW(cnd_broadcast(&cnd));
    mtx_unlock(&mtx);
    for (int i = 0; i < 2; i++)
        SHOW((thrd_join(t[i], &result), result));
    mtx_lock(&mtx);
    SHOW(cnd_timedwait(&cnd, &mtx, &soon));
    SHOW(cnd_timedwait(&cnd, &mtx, &bad));
    SHOW(mtx_unlock(&mtx));
    cnd_destroy(&cnd);
    call_once(&flag, c11_once);
    call_once(&flag, c11_once);
    SHOW(once_runs);
}

/* ---- atomics of the library ---- */

struct large {
    int64_t a, b, c;
};
static _Atomic struct large large;
static _Atomic __int128 wide;
static struct __attribute__((packed)) {
    char pad;
    int64_t n;
} unaligned;

#pragma clang diagnostic ignored "-Watomic-alignment"

static void *count_atomics(void *argument)
{
    for (int i = 0; i < 300; i++) {
        struct large old = atomic_load(&large), new;
        do {
            CHECK(old.a == old.b && old.b == old.c);
            new = (struct large){old.a + 1, old.b + 1, old.c + 1};
        } while (!atomic_compare_exchange_weak(&large, &old, new));
        atomic_fetch_add(&wide, ((__int128)1 << 64) + 1);
        __atomic_fetch_add((int64_t *)(void *)&unaligned.n, 1, __ATOMIC_RELAXED);
    }
    return argument;
}

extern uint32_t sized_fetch(void *object, uint32_t operand, int order) __asm__("__atomic_fetch_nand_4");
extern uint64_t sized_exchange(void *object, uint64_t value, int order) __asm__("__atomic_exchange_8");
extern bool sized_compare(void *object, void *expected, uint16_t desired, int success, int failure)
    __asm__("__atomic_compare_exchange_2");
extern uint8_t sized_load(const void *object, int order) __asm__("__atomic_load_1");
extern unsigned __int128 sized_fetch_wide(void *object, unsigned __int128 operand, int order)
    __asm__("__atomic_fetch_xor_16");

static void test_atomics(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        t[i] = start(count_atomics, NULL);
    for (int i = 0; i < 3; i++)
        finish(t[i]);
    struct large end = atomic_load(&large);
    SHOW(end.a);
    SHOW(end.c);
    SHOW((int)(wide >> 64));
    SHOW((int)wide);
    SHOW(unaligned.n);
    end = atomic_exchange(&large, ((struct large){1, 2, 3}));
    SHOW(end.b);
    atomic_store(&large, end);
    end = atomic_load(&large);
    SHOW(end.c);
    uint32_t n = 0xff00ff00;
    SHOW(sized_fetch(&n, 0xffff0000, __ATOMIC_SEQ_CST) == 0xff00ff00 && n == 0x00ffffff);
    uint64_t m = 5;
    SHOW(sized_exchange(&m, 6, __ATOMIC_ACQ_REL));
    uint16_t s = 9, expected = 8;
    SHOW(sized_compare(&s, &expected, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    SHOW(expected);
    SHOW(sized_compare(&s, &expected, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    SHOW(s);
    SHOW(sized_load(&m, __ATOMIC_ACQUIRE));
    unsigned __int128 w = ((unsigned __int128)3 << 100) | 1;
    SHOW(sized_fetch_wide(&w, 3, __ATOMIC_RELEASE) == (((unsigned __int128)3 << 100) | 1));
    SHOW((int)w);
    SHOW(__atomic_is_lock_free(8, &m));
    SHOW(__atomic_is_lock_free(24, &large));
}

/* ---- ours alone ---- */

static void expect_exit(int status, void (*what)(void))
{
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        what();
        _exit(0);
    }
    int got;
    CHECK(waitpid(child, &got, 0) == child);
    CHECK(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

static void test_refused(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == ENOTSUP);
    CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT) == ENOTSUP);
    clockid_t clock;
    CHECK(pthread_getcpuclockid(pthread_self(), &clock) == ENOENT);
    CHECK(sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){5}) == -1 && errno == EPERM);
    CHECK(pthread_setschedparam(pthread_self(), SCHED_RR, &(struct sched_param){5}) == EPERM);
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    CHECK(pthread_create(&t, &attr, add_one, NULL) == EPERM);
    CHECK(__libc_single_threaded == 0);
}

static int handlers;
static void exit_again(void *result)
{
    handlers++;
    pthread_exit(result);
}

/* Undefined by POSIX (glibc runs the handler for ever): ours goes on with the next one. */
static void *exit_in_a_handler(void *argument)
{
    pthread_cleanup_push(exit_again, "outer");
    pthread_cleanup_push(exit_again, "inner");
    pthread_exit("once");
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return argument;
}

/* The older interface, mixed with the macros. */
#define OURS extern __attribute__((weak)) /* for the program that is linked without our runtime */
OURS void _pthread_cleanup_push(struct _pthread_cleanup_buffer *, void (*)(void *), void *);
OURS void _pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *, int);

static char handler_order[8];
static void note(void *letter) { strcat(handler_order, letter); }

static void *mixed_handlers(void *argument)
{
    struct _pthread_cleanup_buffer a, c, popped;
    _pthread_cleanup_push(&a, note, "a");
    pthread_cleanup_push(note, "b");
    _pthread_cleanup_push(&popped, note, "p");
    _pthread_cleanup_pop_restore(&popped, 1);
    _pthread_cleanup_push(&c, note, "c");
    pthread_cleanup_push(note, "d");
    pthread_exit(argument);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void test_mixed_handlers(void)
{
    finish(start(mixed_handlers, NULL));
    CHECK(!strcmp(handler_order, "pdcba"));
}

/* What glibc does not check, or not in time. */
static void test_stricter(void)
{
    CHECK(!strcmp(finish(start(exit_in_a_handler, NULL)), "outer"));
    CHECK(handlers == 2);
    CHECK(mtx_init(&mtx, 77) == thrd_error);
    pthread_t t = start(wait_for_go, NULL);
    CHECK(pthread_timedjoin_np(t, NULL, &bad) == EINVAL);
    sem_post(&go);
    finish(t);
}

static void name_and_ask(void)
{
    char name[16];
    pthread_t t = start(wait_for_go, NULL);
    CHECK(pthread_setname_np(t, "other") == 0);
    pthread_getname_np(t, name, sizeof name);
}
static void open_semaphore(void) { sem_open("/x", 0); }
static void cancel_asynchronously(void) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); }
static void kill_other(void) { pthread_kill(start(wait_for_go, NULL), SIGUSR1); }

OURS void __VERIFIER_assert(int);
OURS void __VERIFIER_assume(int);
OURS void __VERIFIER_error(void);
OURS _Bool __VERIFIER_nondet_bool(void);
OURS short __VERIFIER_nondet_short(void);
OURS unsigned long __VERIFIER_nondet_ulong(void);
OURS double __VERIFIER_nondet_double(void);
OURS void *__VERIFIER_nondet_pointer(void);
OURS long long tb_choose(long long, long long);
OURS void tb_assert_that(_Bool, const char *);

static void fail_assert(void) { __VERIFIER_assert(0); }
static void fail_assume(void) { __VERIFIER_assume(0); }
static void fail_tb_assert(void) { tb_assert_that(0, "x > 0"); }
static void want_double(void) { __VERIFIER_nondet_double(); }
static void want_pointer(void) { __VERIFIER_nondet_pointer(); }

static void lock_twice(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

static void test_unsupported(void)
{
    expect_exit(97, name_and_ask);
    expect_exit(97, open_semaphore);
    expect_exit(97, cancel_asynchronously);
    expect_exit(97, kill_other);
    expect_exit(97, want_double);
    expect_exit(97, want_pointer);
    expect_exit(99, lock_twice);
}

static void test_verifier(void)
{
    __VERIFIER_assert(2);
    __VERIFIER_assume(1);
    CHECK(__VERIFIER_nondet_bool() == 1);
    CHECK(__VERIFIER_nondet_short() == -1);
    CHECK(__VERIFIER_nondet_ulong() == ~0ul);
    long long n = tb_choose(3, 5);
    CHECK(n >= 3 && n <= 5);
    expect_exit(94, fail_assert);
    expect_exit(94, fail_tb_assert);
    expect_exit(95, __VERIFIER_error);
    expect_exit(96, fail_assume);
}

static const struct test {
    const char *name;
    void (*run)(void);
    bool ours;
} tests[] = {
    {"create-join", test_create_join, false},
    {"other-joins", test_other_joins, false},
    {"detach", test_detach, false},
    {"attributes", test_attributes, false},
    {"names", test_names, false},
    {"signals", test_signals, false},
    {"signal-masks", test_signal_masks, false},
    {"scheduling", test_scheduling, false},
    {"mutex-attributes", test_mutex_attributes, false},
    {"mutex-types", test_mutex_types, false},
    {"mutex-timed", test_mutex_timed, false},
    {"spin", test_spin, false},
    {"cond-attributes", test_cond_attributes, false},
    {"cond-turns", test_cond_turns, false},
    {"rwlock", test_rwlock, false},
    {"barrier", test_barrier, false},
    {"semaphore", test_semaphore, false},
    {"once", test_once, false},
    {"once-abandoned", test_once_abandoned, false},
    {"keys-many", test_keys_many, false},
    {"keys-rounds", test_keys_rounds, false},
    {"keys-reused", test_keys_reused, false},
    {"keys-concurrent", test_keys_concurrent, false},
    {"keys-deleted", test_keys_deleted, false},
    {"cleanup", test_cleanup, false},
    {"cleanup-nested", test_cleanup_nested, false},
    {"cancel-points", test_cancel_points, false},
    {"cancel-timedwait", test_cancel_timedwait, false},
    {"cancel-state", test_cancel_state, false},
    {"cancel-self-and-keys", test_cancel_self_and_keys, false},
    {"exit-main", test_exit_main, false},
    {"join-main", test_join_main, false},
    {"c11-threads", test_c11_threads, false},
    {"c11-mutex", test_c11_mutex, false},
    {"c11-cond", test_c11_cond, false},
    {"atomics", test_atomics, false},
    {"refused", test_refused, true},
    {"mixed-handlers", test_mixed_handlers, true},
    {"stricter", test_stricter, true},
    {"unsupported", test_unsupported, true},
    {"verifier", test_verifier, true},
};

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--list")) {
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
            if (tests[i].ours == !strcmp(argv[2], "ours"))
                puts(tests[i].name);
        return 0;
    }
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(argv[1], tests[i].name)) {
            tests[i].run();
            return 0;
        }
    return 2;
}
