/* What of the memory may be accessed, as LLVM's AddressSanitizer pass has it: a byte for every eight, 0 if all of them may be, 1 to
 * 7 if so many of the first, negative if none. Shadow that was never mapped is mapped with NO_OBJECT when somebody looks
 * (src/signals.rs). Mirrored in src/shadow.rs. And how plain accesses are noted, which goes by that. */
#ifndef TB_SHADOW_H
#define TB_SHADOW_H

#include "floor.h"

enum { SHADOW = 0x7fff8000, GRANULE = 8 };
enum { HEAP_ZONE = 0xfa, HEAP_FREED = 0xfd, NO_OBJECT = 0xfe, FRAME_GONE = 0xf5, ALLOCA_ZONE = 0xca };

static inline signed char *tb_shadow(u64 at) { return (signed char *)((at >> 3) + SHADOW); }

/* Whole granules. */
static inline void tb_poison(u64 at, u64 size, int how) { tb_fill(tb_shadow(at), how, size / GRANULE); }

/* An object at the start of a granule. */
static inline void tb_unpoison(u64 at, u64 size)
{
    tb_poison(at, size, 0);
    if (size % GRANULE)
        *tb_shadow(at + size) = (signed char)(size % GRANULE);
}

int tb_is_bad_range(u64 at, u64 size);

static inline __attribute__((always_inline)) int tb_is_bad(u64 at, u64 size)
{
    if (at >> 47 == 0 && at % GRANULE + size <= GRANULE && *tb_shadow(at) == 0)
        return 0;
    return size != 0 && tb_is_bad_range(at, size);
}

/* A plain write of local code, not to its stack. One that writes what is there already is no effect: `errno` is set in every round of a
 * loop, and a sum to which nothing is added. Only where it may write, within a granule, and only few. */
static inline void tb_plain_write(struct fiber *fiber, u64 address, u64 size)
{
    if (fiber->effects)
        return;
    if (address >> 47 != 0 || address % GRANULE + size > GRANULE || tb_is_bad(address, size) || fiber->written == WRITTEN) {
        fiber->effects = 1;
        return;
    }
    for (u64 i = 0; i < fiber->written; i++)
        if (fiber->write[i].address == address && fiber->write[i].size == size)
            return;
    u64 i = fiber->written++;
    fiber->write[i].address = address;
    fiber->write[i].size = size;
    fiber->write[i].before = 0;
    tb_bytes(&fiber->write[i].before, (void *)address, size);
}

/* A plain access of local code. */
static inline __attribute__((always_inline)) void tb_plain(u64 address, u64 size, u32 flags, u64 pc, u64 frame)
{
    struct world *world = tb_world;
    struct fiber *fiber = world->running;
    if (flags & WRITES && address - fiber->stack_low >= fiber->frames_end - fiber->stack_low)
        tb_plain_write(fiber, address, size);
    if (!world->logging || size == 0)
        return;
    if (flags & BY_LIBRARY)
        pc = tb_caller(frame);
    world->log[world->logged++] = (struct entry){address, pc, size > 0xffffffff ? 0xffffffff : (u32)size, flags};
    if (world->logged == world->most)
        tb_stop(STOP_DRAIN, 0, 0, 0, 0, 0, pc, frame);
}

/* Stops at an access that may not be. */
#define CHECK(at, size, writes)                                                              \
    do {                                                                                     \
        if (__builtin_expect(tb_is_bad((u64)(at), (size)), 0))                               \
            END(STOP_BAD_ACCESS, (u64)(at), (size), (writes), 0);                            \
    } while (0)

/* Stops at a copy between places that overlap, unless they are the same: that is for memmove. */
#define APART(to, from, n)                                                                     \
    do {                                                                                       \
        u64 up = (u64)(to) - (u64)(from), down = (u64)(from) - (u64)(to);                      \
        if (__builtin_expect(up != 0 && (up < (n) || down < (n)), 0))                          \
            END(STOP_OVERLAP, (u64)(to), (u64)(from), (n), 0);                                 \
    } while (0)
#define ANYWHERE(to, from, n) ((void)0)

#endif
