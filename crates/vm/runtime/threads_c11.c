/* C11 threads.h: the same machine operations under other names and with other results. */
#include "tb_pthread.h"

#include <threads.h>

static int result(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
    }
}

/* A thread's int lies in the machine's pointer. */
static void *from_int(int value) { return (void *)(intptr_t)value; }

static void entry(void *block)
{
    struct tb_start start = tb_started(block);
    __tbi_thread_finish(from_int(((thrd_start_t)start.routine)(start.argument)));
}

int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct tb_start start = {(void (*)(void))routine, argument, __tbi_signal_mask()};
    return result(__tbi_thread_create(thread, entry, &start, 0));
}

int thrd_join(thrd_t thread, int *value)
{
    void *word = NULL;
    int error = __tbi_thread_join(thread, &word);
    if (error == 0 && value)
        *value = (int)(intptr_t)word;
    return result(error);
}

int thrd_detach(thrd_t thread) { return result(__tb_thread_detach(thread)); }
void thrd_exit(int value) { __tbi_thread_exit(from_int(value)); }
thrd_t thrd_current(void) { return __tb_thread_self(); }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_yield(void) { __tb_yield(); }

/* Nothing interrupts a sleep, so nothing remains. */
int thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
    (void)remaining;
    if (duration->tv_sec < 0 || !tb_time_is_valid(duration))
        return -2;
    __tb_sleep((uint64_t)duration->tv_sec * 1000000000 + (uint64_t)duration->tv_nsec);
    __tb_cancellation_point();
    return 0;
}

int mtx_init(mtx_t *mutex, int type)
{
    if (type < 0 || type > (mtx_timed | mtx_recursive))
        return thrd_error;
    return result(__tb_mutex_init(mutex, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL));
}

void mtx_destroy(mtx_t *mutex) { __tb_mutex_destroy(mutex); }
int mtx_lock(mtx_t *mutex) { return result(__tb_mutex_lock(mutex)); }
int mtx_trylock(mtx_t *mutex) { return result(__tb_mutex_trylock(mutex)); }
int mtx_unlock(mtx_t *mutex) { return result(__tb_mutex_unlock(mutex)); }

int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline)
{
    return result(__tbi_mutex_timedlock(mutex, CLOCK_REALTIME, deadline));
}

int cnd_init(cnd_t *cond) { return result(__tb_cond_init(cond)); }
void cnd_destroy(cnd_t *cond) { __tb_cond_destroy(cond); }
int cnd_signal(cnd_t *cond) { return result(__tb_cond_signal(cond)); }
int cnd_broadcast(cnd_t *cond) { return result(__tb_cond_broadcast(cond)); }
int cnd_wait(cnd_t *cond, mtx_t *mutex) { return result(__tbi_cond_wait(cond, mutex)); }

int cnd_timedwait(cnd_t *cond, mtx_t *mutex, const struct timespec *deadline)
{
    return result(__tbi_cond_timedwait(cond, mutex, CLOCK_REALTIME, deadline));
}

int tss_create(tss_t *key, tss_dtor_t destructor) { return result(__tbi_key_create(key, destructor)); }
void tss_delete(tss_t key) { __tbi_key_delete(key); }
void *tss_get(tss_t key) { return __tbi_key_get(key); }
int tss_set(tss_t key, void *value) { return result(__tbi_key_set(key, value)); }

void call_once(once_flag *flag, void (*routine)(void)) { __tbi_once((int *)flag, routine); }
