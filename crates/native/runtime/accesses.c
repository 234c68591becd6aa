/* What LLVM's ThreadSanitizer pass calls before accesses, in the place of its own runtime: `__tsan_` in the program, `__tbl_`
 * in the C library. The program's plain accesses are visible operations where every one is to be explored, and are noted
 * for race detection otherwise; those of the library are always noted. Atomic and volatile ones are visible. */
#include "shadow.h"

/* An order is C11's number, or one of these. */
enum { VOLATILE = 6, PLAIN = 7, OBSERVED = 8 };

#define PROGRAMS(name, size, operation, flags)                                                        \
    ENTRANCE(void, __tsan_##name, u64 at)                                                             \
    {                                                                                                 \
        if (tb_world->every_access)                                                                   \
            VISIBLE(operation, at, size, PLAIN, 0);                                                   \
        else                                                                                          \
            tb_plain(at, size, flags, HERE);                                                          \
    }                                                                                                 \
    void __tbl_##name(u64 at)                                                                         \
    {                                                                                                 \
        CHECK(at, size, (flags)&WRITES);                                                              \
        tb_plain(at, size, (flags) | BY_LIBRARY, HERE);                                               \
    }

#define VOLATILES(name, size, operation)                                                              \
    ENTRANCE(void, __tsan_##name, u64 at) { VISIBLE(operation, at, size, VOLATILE, 0); }              \
    ENTRANCE(void, __tbl_##name, u64 at)                                                              \
    {                                                                                                 \
        VISIBLE(operation, at, size, VOLATILE, 0);                                                    \
        CHECK(at, size, operation == OP_Store);                                                       \
    }

#define SIZED(n)                                            \
    PROGRAMS(read##n, n, OP_Load, 0)                        \
    PROGRAMS(write##n, n, OP_Store, WRITES)                 \
    PROGRAMS(unaligned_read##n, n, OP_Load, 0)              \
    PROGRAMS(unaligned_write##n, n, OP_Store, WRITES)       \
    VOLATILES(volatile_read##n, n, OP_Load)                 \
    VOLATILES(volatile_write##n, n, OP_Store)               \
    VOLATILES(unaligned_volatile_read##n, n, OP_Load)       \
    VOLATILES(unaligned_volatile_write##n, n, OP_Store)

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

/* ---- what the pass does not announce: src/unseen.rs does ---- */

#define ANNOUNCED(name, operation, flags)                                     \
    ENTRANCE(void, __tb_##name, u64 at, u64 size)                             \
    {                                                                         \
        if (tb_world->every_access)                                           \
            VISIBLE(operation, at, size, PLAIN, 0);                           \
        else                                                                  \
            tb_plain(at, size, flags, HERE);                                  \
    }                                                                         \
    ENTRANCE(void, __tb_##name##_volatile, u64 at, u64 size)                  \
    {                                                                         \
        VISIBLE(operation, at, size, VOLATILE, 0);                            \
    }

ANNOUNCED(reads, OP_Load, 0)
ANNOUNCED(writes, OP_Store, WRITES)

/* Code of which nobody sees what it accesses (src/unseen.rs, src/foreign.rs). Of assembly it may be known that it changes nothing but
 * these bytes. */
static inline __attribute__((always_inline)) void unseen(u64 at, u64 size, u64 pc, u64 frame)
{
    tb_stop(STOP_VISIBLE, OP_Unseen, at, size, 0, 0, pc, frame);
    if (!size)
        tb_world->running->effects = 1;
}

ENTRANCE(void, __tb_assembly, u64 at, u64 size) { unseen(at, size, HERE); }

extern char __start_tb_foreign[] __attribute__((weak)), __stop_tb_foreign[] __attribute__((weak));

static int is_foreign(u64 pc) { return pc - (u64)__start_tb_foreign < (u64)(__stop_tb_foreign - __start_tb_foreign); }

/* A call, unless it is one of a function that has a source. */
ENTRANCE(void, __tb_machine_code, u64 function)
{
    if (!function || is_foreign(function))
        unseen(0, 0, HERE);
}

/* The same from the C library. If such code has called the library, this is a part of that call. */
ENTRANCE(void, __tb_machine_code_again, u64 function)
{
    u64 *word = __builtin_frame_address(0), *end = (u64 *)tb_world->running->stack_high;
    if (function && !is_foreign(function))
        return;
    while (word < end)
        if (is_foreign(*word++))
            return;
    unseen(0, 0, HERE);
}

/* A plain store that is about to change what an invariant looks at. */
ENTRANCE(void, __tb_observed, u64 at, u64 size) { VISIBLE(OP_Store, at, size, OBSERVED, 0); }

/* ---- ranges: those of shared memory that are not long were taken apart, where every access is visible (src/parts.rs) ---- */

void tb_move(u8 *to, const u8 *from, u64 n);

#define COPY(name, copy, look)                                                  \
    ENTRANCE(void *, __tsan_##name, void *to, const void *from, u64 n)          \
    {                                                                           \
        CHECK(from, n, 0);                                                      \
        CHECK(to, n, 1);                                                        \
        look(to, from, n);                                                      \
        tb_plain((u64)from, n, 0, HERE);                                        \
        tb_plain((u64)to, n, WRITES, HERE);                                     \
        copy(to, from, n);                                                      \
        return to;                                                              \
    }                                                                           \
    void *__tbl_##name(void *to, const void *from, u64 n)                       \
    {                                                                           \
        CHECK(from, n, 0);                                                      \
        CHECK(to, n, 1);                                                        \
        look(to, from, n);                                                      \
        tb_plain((u64)from, n, BY_LIBRARY, HERE);                               \
        tb_plain((u64)to, n, BY_LIBRARY | WRITES, HERE);                        \
        copy(to, from, n);                                                      \
        return to;                                                              \
    }

COPY(memcpy, tb_bytes, APART)
COPY(memmove, tb_move, ANYWHERE)

ENTRANCE(void *, __tsan_memset, void *to, int byte, u64 n)
{
    CHECK(to, n, 1);
    tb_plain((u64)to, n, WRITES, HERE);
    tb_fill(to, byte, n);
    return to;
}

void *__tbl_memset(void *to, int byte, u64 n)
{
    CHECK(to, n, 1);
    tb_plain((u64)to, n, BY_LIBRARY | WRITES, HERE);
    tb_fill(to, byte, n);
    return to;
}

/* ---- atomics: on one thread of the system a plain access will do ---- */

/* The arguments say what is done: the engine wants to know whether the value changes. */
enum { EXCHANGE, ADD, SUB, AND, OR, XOR, NAND };

#define RMW(prefix, bits, name, what, expression)                                                                  \
    ENTRANCE(u##bits##_t, prefix##atomic##bits##_##name, volatile u##bits##_t *at, u##bits##_t v, int order)       \
    {                                                                                                              \
        VISIBLE(OP_ReadModifyWrite, (u64)at, bits / 8 | (u64)order << 8 | (u64)what << 16, v, 0);                  \
        CHECK(at, bits / 8, 1);                                                                                    \
        u##bits##_t old = *at;                                                                                     \
        *at = (u##bits##_t)(expression);                                                                           \
        return old;                                                                                                \
    }

#define ATOMICS(prefix, bits)                                                                                      \
    ENTRANCE(u##bits##_t, prefix##atomic##bits##_load, const volatile u##bits##_t *at, int order)                  \
    {                                                                                                              \
        VISIBLE(OP_Load, (u64)at, bits / 8, (u64)order, 0);                                                        \
        CHECK(at, bits / 8, 0);                                                                                    \
        return *at;                                                                                                \
    }                                                                                                              \
    ENTRANCE(void, prefix##atomic##bits##_store, volatile u##bits##_t *at, u##bits##_t v, int order)               \
    {                                                                                                              \
        VISIBLE(OP_Store, (u64)at, bits / 8, (u64)order, v);                                                       \
        CHECK(at, bits / 8, 1);                                                                                    \
        *at = v;                                                                                                   \
    }                                                                                                              \
    RMW(prefix, bits, exchange, EXCHANGE, v)                                                                       \
    RMW(prefix, bits, fetch_add, ADD, old + v)                                                                     \
    RMW(prefix, bits, fetch_sub, SUB, old - v)                                                                     \
    RMW(prefix, bits, fetch_and, AND, old & v)                                                                     \
    RMW(prefix, bits, fetch_or, OR, old | v)                                                                       \
    RMW(prefix, bits, fetch_xor, XOR, old ^ v)                                                                     \
    RMW(prefix, bits, fetch_nand, NAND, ~(old & v))                                                                \
    ENTRANCE(u##bits##_t, prefix##atomic##bits##_compare_exchange_val, volatile u##bits##_t *at,                   \
             u##bits##_t expected, u##bits##_t v, int order, int failed)                                           \
    {                                                                                                              \
        VISIBLE(OP_CompareExchange, (u64)at, bits / 8 | (u64)order << 8 | (u64)failed << 16, expected, 0);         \
        CHECK(at, bits / 8, 1);                                                                                    \
        u##bits##_t old = *at;                                                                                     \
        if (old == expected)                                                                                       \
            *at = v;                                                                                               \
        return old;                                                                                                \
    }

typedef u8 u8_t;
typedef u16 u16_t;
typedef u32 u32_t;
typedef u64 u64_t;

#define BOTH(bits) ATOMICS(__tsan_, bits) ATOMICS(__tbl_, bits)
BOTH(8)
BOTH(16)
BOTH(32)
BOTH(64)

/* Those that the pass has no calls for: the engine says what is stored (src/atomics.rs). */
ENTRANCE(u64, __tb_rmw, void *at, u64 what, u64 v)
{
    u64 value = VISIBLE(OP_ReadModifyWrite, (u64)at, what, v, 0), size = what & 0xff, old = 0;
    CHECK(at, size, 1);
    tb_bytes(&old, at, size);
    tb_bytes(at, &value, size);
    return old;
}

ENTRANCE(void, __tsan_atomic_thread_fence, int order) { VISIBLE(OP_Fence, 0, 0, (u64)order, 0); }
ENTRANCE(void, __tbl_atomic_thread_fence, int order) { VISIBLE(OP_Fence, 0, 0, (u64)order, 0); }
void __tsan_atomic_signal_fence(int order) { (void)order; }
void __tbl_atomic_signal_fence(int order) { (void)order; }
