/* threadbare.h: what a program under test can say to Threadbare.
 *
 * Under Threadbare (which defines __THREADBARE__) these reach the checker. An ordinary compiler gets small stand-ins, so
 * that the same program builds and runs natively: assertions are checked, choices take their lowest value or come from
 * the environment, and what only the checker could do does nothing.
 *
 *     #include <threadbare.h>
 *
 *     int n = (int)tb_choose(1, 3);     // explored with 1, 2 and 3
 *     tb_assume(n != 2);                // … but not with 2
 *     tb_assert(n * n >= n);            // a bug if it can fail
 *
 * C11 and C++11 or later. */
#ifndef THREADBARE_H
#define THREADBARE_H

#include <stddef.h>
#ifndef __THREADBARE__
#include <assert.h>
#include <stdlib.h>
#endif

#ifdef __cplusplus
#define TB_BOOL_ bool
extern "C" {
#else
#define TB_BOOL_ _Bool
#endif

#ifdef __THREADBARE__

/* A failed assertion is a bug: the report shows a schedule that leads to it. */
#define tb_assert(...) tb_assert_that((TB_BOOL_)(__VA_ARGS__), #__VA_ARGS__)
void tb_assert_that(TB_BOOL_ condition, const char *expression);

/* Only executions in which the condition holds count. A thread that fails it stops here for ever; the others run on, and
 * such an execution reports no deadlock. State what is assumed of a value as soon as it is chosen. */
void tb_assume(TB_BOOL_ condition);

/* Any value of low..high, both included: every one of them is explored. */
long long tb_choose(long long low, long long high);

/* Any value of the type. Those of more than 16 bits need an assume that bounds the value, to at most 65,536 values, before
 * any other use of it. */
TB_BOOL_ tb_nondet_bool(void);
char tb_nondet_char(void);
unsigned char tb_nondet_uchar(void);
short tb_nondet_short(void);
unsigned short tb_nondet_ushort(void);
int tb_nondet_int(void);
unsigned tb_nondet_uint(void);
long tb_nondet_long(void);
unsigned long tb_nondet_ulong(void);

/* What lies between begin and end is one step: no other thread moves in between. It must not wait for another thread. */
void tb_atomic_begin(void);
void tb_atomic_end(void);

/* Names this point: it is shown in traces, and properties can refer to it. */
void tb_label(const char *name);

/* Says that useful work was done here. A cycle of steps in which no thread gets here is a livelock (--livelock). */
void tb_progress(void);

/* For a function that `check --abstraction` names, `void what_matters(void)`: these bytes belong to what matters of a state. Several
 * calls add up. Elsewhere it does nothing. */
void tb_abstract(const void *object, size_t size);

#else /* natively */

/* As assert(): NDEBUG takes it away here, never under Threadbare. */
#define tb_assert(...) assert((__VA_ARGS__))

/* An execution that does not count ends at once and quietly. */
static inline void tb_assume(TB_BOOL_ condition)
{
    if (!condition)
        _Exit(0);
}

/* How many choices were made so far, in the whole program; and the lock of the atomic blocks. */
__attribute__((weak)) unsigned tb_native_choices_;
__attribute__((weak)) int tb_native_lock_;

/* Choices come from the environment: TB_CHOICES=2,0,5 gives the first three. Where the list ends, or names a value that is
 * not in the range, the choice is the lowest value. */
static inline long long tb_choose(long long low, long long high)
{
    unsigned skip = __atomic_fetch_add(&tb_native_choices_, 1, __ATOMIC_RELAXED);
    const char *list = getenv("TB_CHOICES");
    for (; list && skip; list++) {
        if (!*list)
            return low;
        if (*list == ',')
            skip--;
    }
    if (!list)
        return low;
    char *end;
    long long value = strtoll(list, &end, 0);
    return end != list && value >= low && value <= high ? value : low;
}

/* Any value of the type: 0, or what TB_CHOICES says. */
#define TB_NATIVE_NONDET_(type, name) \
    static inline type tb_nondet_##name(void) { return (type)tb_native_any_(); }

static inline long long tb_native_any_(void)
{
    long long lowest = -0x7fffffffffffffffLL - 1;
    long long value = tb_choose(lowest, 0x7fffffffffffffffLL);
    return value == lowest ? 0 : value;
}

TB_NATIVE_NONDET_(TB_BOOL_, bool)
TB_NATIVE_NONDET_(char, char)
TB_NATIVE_NONDET_(unsigned char, uchar)
TB_NATIVE_NONDET_(short, short)
TB_NATIVE_NONDET_(unsigned short, ushort)
TB_NATIVE_NONDET_(int, int)
TB_NATIVE_NONDET_(unsigned, uint)
TB_NATIVE_NONDET_(long, long)
TB_NATIVE_NONDET_(unsigned long, ulong)
#undef TB_NATIVE_NONDET_

/* Atomic blocks exclude each other, but not the rest of the program. They must not be nested. */
static inline void tb_atomic_begin(void)
{
    while (__atomic_exchange_n(&tb_native_lock_, 1, __ATOMIC_ACQUIRE))
        ;
}

static inline void tb_atomic_end(void) { __atomic_store_n(&tb_native_lock_, 0, __ATOMIC_RELEASE); }

static inline void tb_label(const char *name) { (void)name; }
static inline void tb_progress(void) {}
static inline void tb_abstract(const void *object, size_t size)
{
    (void)object;
    (void)size;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
