/* The library half of C11 atomics: what a compiler calls for objects that are too large or not aligned well enough for an
 * instruction.
 *
 * Each operation is one indivisible step. Within it the object is accessed byte by byte by atomic accesses of the order
 * that was asked for, so that they are no race with each other, but are one with plain accesses, and synchronise as
 * they should. The other operands are the caller's own. */
#include "tb_threads.h"

#include <stdbool.h>

typedef unsigned char byte;

static byte load_byte(const byte *from, int order)
{
    switch (order) {
    case __ATOMIC_RELAXED: return __atomic_load_n(from, __ATOMIC_RELAXED);
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
    case __ATOMIC_ACQ_REL: return __atomic_load_n(from, __ATOMIC_ACQUIRE);
    case __ATOMIC_RELEASE: return __atomic_load_n(from, __ATOMIC_RELAXED);
    default: return __atomic_load_n(from, __ATOMIC_SEQ_CST);
    }
}

static void store_byte(byte *to, byte value, int order)
{
    switch (order) {
    case __ATOMIC_RELAXED:
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE: __atomic_store_n(to, value, __ATOMIC_RELAXED); break;
    case __ATOMIC_RELEASE:
    case __ATOMIC_ACQ_REL: __atomic_store_n(to, value, __ATOMIC_RELEASE); break;
    default: __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
    }
}

static void load(size_t size, const void *object, void *to, int order)
{
    for (size_t i = 0; i < size; i++)
        ((byte *)to)[i] = load_byte((const byte *)object + i, order);
}

static void store(size_t size, void *object, const void *from, int order)
{
    for (size_t i = 0; i < size; i++)
        store_byte((byte *)object + i, ((const byte *)from)[i], order);
}

static bool equal(size_t size, const void *object, const void *expected, int order)
{
    bool same = true;
    for (size_t i = 0; i < size; i++)
        same &= load_byte((const byte *)object + i, order) == ((const byte *)expected)[i];
    return same;
}

static void atomic_load(size_t size, const void *object, void *to, int order)
{
    __tb_atomic_begin();
    load(size, object, to, order);
    __tb_atomic_end();
}

static void atomic_store(size_t size, void *object, const void *from, int order)
{
    __tb_atomic_begin();
    store(size, object, from, order);
    __tb_atomic_end();
}

/* `from` and `old` may be the same object. */
static void atomic_exchange(size_t size, void *object, const void *from, void *old, int order)
{
    __tb_atomic_begin();
    for (size_t i = 0; i < size; i++) {
        byte value = ((const byte *)from)[i];
        ((byte *)old)[i] = load_byte((byte *)object + i, order);
        store_byte((byte *)object + i, value, order);
    }
    __tb_atomic_end();
}

/* `expected` gets the value that was found when it is another one. The order depends on the result of the comparison, so
 * that is made first, with relaxed loads; those that synchronise follow. */
static bool atomic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success,
                                    int failure)
{
    __tb_atomic_begin();
    bool same = equal(size, object, expected, __ATOMIC_RELAXED);
    if (same) {
        equal(size, object, expected, success);
        store(size, object, desired, success);
    } else {
        load(size, object, expected, failure);
    }
    __tb_atomic_end();
    return same;
}

/* The generic functions share their names with compiler built-ins of other types, so they get theirs by hand. */
void generic_load(size_t size, const void *object, void *to, int order) __asm__("__atomic_load");
void generic_store(size_t size, void *object, const void *from, int order) __asm__("__atomic_store");
void generic_exchange(size_t size, void *object, const void *from, void *old, int order) __asm__("__atomic_exchange");
bool generic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success,
                              int failure) __asm__("__atomic_compare_exchange");
bool generic_is_lock_free(size_t size, const void *object) __asm__("__atomic_is_lock_free");

void generic_load(size_t size, const void *object, void *to, int order) { atomic_load(size, object, to, order); }
void generic_store(size_t size, void *object, const void *from, int order) { atomic_store(size, object, from, order); }

void generic_exchange(size_t size, void *object, const void *from, void *old, int order)
{
    atomic_exchange(size, object, from, old, order);
}

bool generic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
{
    return atomic_compare_exchange(size, object, expected, desired, success, failure);
}

bool generic_is_lock_free(size_t size, const void *object)
{
    bool is_power = size && (size & (size - 1)) == 0;
    return is_power && size <= 8 && ((uintptr_t)object & (size - 1)) == 0;
}

/* One read-modify-write of a sized integer: the value before it. */
#define FETCH(name, n, type, expression)                                          \
    type fetch_##name##_##n(void *object, type operand, int order) __asm__("__atomic_fetch_" #name "_" #n); \
    type fetch_##name##_##n(void *object, type operand, int order)                \
    {                                                                             \
        type old;                                                                 \
        __tb_atomic_begin();                                                      \
        load(sizeof old, object, &old, order);                                    \
        type new = (type)(expression);                                            \
        store(sizeof new, object, &new, order);                                   \
        __tb_atomic_end();                                                        \
        return old;                                                               \
    }

#define SIZED(n, type)                                                                                  \
    type load_##n(const void *object, int order) __asm__("__atomic_load_" #n);                          \
    type load_##n(const void *object, int order)                                                        \
    {                                                                                                   \
        type value;                                                                                     \
        atomic_load(sizeof value, object, &value, order);                                               \
        return value;                                                                                   \
    }                                                                                                   \
    void store_##n(void *object, type value, int order) __asm__("__atomic_store_" #n);                  \
    void store_##n(void *object, type value, int order) { atomic_store(sizeof value, object, &value, order); } \
    type exchange_##n(void *object, type value, int order) __asm__("__atomic_exchange_" #n);            \
    type exchange_##n(void *object, type value, int order)                                              \
    {                                                                                                   \
        type old;                                                                                       \
        atomic_exchange(sizeof value, object, &value, &old, order);                                     \
        return old;                                                                                     \
    }                                                                                                   \
    bool compare_exchange_##n(void *object, void *expected, type desired, int success, int failure)     \
        __asm__("__atomic_compare_exchange_" #n);                                                       \
    bool compare_exchange_##n(void *object, void *expected, type desired, int success, int failure)     \
    {                                                                                                   \
        return atomic_compare_exchange(sizeof desired, object, expected, &desired, success, failure);   \
    }                                                                                                   \
    FETCH(add, n, type, old + operand)                                                                  \
    FETCH(sub, n, type, old - operand)                                                                  \
    FETCH(and, n, type, old & operand)                                                                  \
    FETCH(or, n, type, old | operand)                                                                   \
    FETCH(xor, n, type, old ^ operand)                                                                  \
    FETCH(nand, n, type, ~(old & operand))

SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)
SIZED(16, unsigned __int128)
