/* What LLVM's AddressSanitizer pass calls, in the place of its own runtime: it reports accesses that may not be, and gives functions
 * with variables whose addresses they hand on a place for them that no later call gets, so that what is left of a
 * function that has returned cannot be accessed. */
#include "shadow.h"

int tb_is_bad_range(u64 at, u64 size)
{
    u64 end = at + size;
    if (end < at || end >> 47)
        return 1;
    for (u64 granule = at & -(u64)GRANULE; granule < end; granule += GRANULE) {
        signed char state = *tb_shadow(granule);
        u64 needed = end - granule < GRANULE ? end - granule : GRANULE;
        if (state && (signed char)needed > state)
            return 1;
    }
    return 0;
}

/* The pass checks by itself, but where it cannot know the size. */
#define REPORT(name, writes)                                                                       \
    void __asan_report_##name##_n(u64 at, u64 size) { END(STOP_BAD_ACCESS, at, size, writes, 0); } \
    void __asan_##name##N(u64 at, u64 size) { CHECK(at, size, writes); }                           \
    REPORT_SIZED(name, 1, writes)                                                                  \
    REPORT_SIZED(name, 2, writes)                                                                  \
    REPORT_SIZED(name, 4, writes)                                                                  \
    REPORT_SIZED(name, 8, writes)                                                                  \
    REPORT_SIZED(name, 16, writes)
#define REPORT_SIZED(name, size, writes)                                                     \
    void __asan_report_##name##size(u64 at) { END(STOP_BAD_ACCESS, at, size, writes, 0); }   \
    void __asan_##name##size(u64 at) { CHECK(at, size, writes); }

REPORT(load, 0)
REPORT(store, 1)

/* What never comes back does not come back here either: longjmp looks after itself. */
void __asan_handle_no_return(void) {}

/* ---- frames of functions, in a part of memory of their own ---- */

/* The size of a class is known to the pass, which leaves a frame by writing 0 where its last word points to. */
static struct fiber *without_those_left(void)
{
    struct fiber *fiber = tb_world->running;
    while (fiber->live && !fiber->frame_list[fiber->live - 1].entered)
        fiber->live--;
    return fiber;
}

static u64 enter(u64 class, u64 sp)
{
    struct fiber *fiber = without_those_left();
    u64 size = 64ul << class;
    if (fiber->live == FRAMES || size > fiber->frames_end - fiber->frames)
        return 0; /* on the stack, then */
    u64 base = fiber->frames;
    fiber->frames = base + size;
    struct frame *frame = &fiber->frame_list[fiber->live++];
    *frame = (struct frame){base, size, sp, BY_FUNCTION};
    *(u64 *)(base + size - 8) = (u64)&frame->entered;
    return base;
}

static void leave(struct frame *frame)
{
    tb_poison(frame->base, frame->size, FRAME_GONE);
    frame->entered = 0;
}

static void leave_at(u64 base)
{
    struct fiber *fiber = tb_world->running;
    for (u64 i = fiber->live; i--;)
        if (fiber->frame_list[i].base == base)
            return leave(&fiber->frame_list[i]);
}

#define CLASS(n)                                                                                            \
    u64 __asan_stack_malloc_always_##n(u64 size)                                                            \
    {                                                                                                       \
        (void)size;                                                                                         \
        return enter(n, (u64)__builtin_frame_address(0));                                                   \
    }                                                                                                       \
    void __asan_stack_free_##n(u64 base, u64 size)                                                          \
    {                                                                                                       \
        (void)size;                                                                                         \
        leave_at(base);                                                                                     \
    }

CLASS(0)
CLASS(1)
CLASS(2)
CLASS(3)
CLASS(4)
CLASS(5)
CLASS(6)
CLASS(7)
CLASS(8)
CLASS(9)
CLASS(10)

/* ---- arrays of variable length and what alloca gives (src/arrays.rs), among the frames ---- */

enum { HEAD = 64, MOST_ARRAY = 1 << 16 };

/* The place of one, or null: then it lies on the stack. They leave room for functions, of which there may be many later. */
u64 __tb_array(u64 size, u64 text, u64 function)
{
    struct fiber *fiber = without_those_left();
    u64 room = (fiber->frames_end - fiber->stack_high) / 4;
    u64 base = fiber->frames, whole = (HEAD + size + 32 + 63) & -64ul;
    if (size > MOST_ARRAY || fiber->live >= FRAMES / 2 || base + whole > fiber->stack_high + room)
        return 0;
    fiber->frames = base + whole;
    fiber->frame_list[fiber->live++] = (struct frame){base, whole, (u64)__builtin_frame_address(0), FOR_ARRAY};
    u64 *head = (u64 *)base;
    head[0] = FRAME_LIVE, head[1] = text, head[2] = function, head[3] = size;
    tb_poison(base, whole, ALLOCA_ZONE);
    tb_unpoison(base + HEAD, size);
    return base + HEAD;
}

/* Those that the innermost function has got since its stack was so high end. Its own frame comes before them. */
static void end_arrays(u64 below, u64 mark)
{
    struct fiber *fiber = tb_world->running;
    for (u64 i = fiber->live; i--;) {
        struct frame *frame = &fiber->frame_list[i];
        if (!frame->entered)
            continue;
        if (frame->entered != FOR_ARRAY || frame->sp >= below)
            return;
        *(u64 *)frame->base = mark;
        leave(frame);
    }
}

void __tb_arrays_of_block_end(u64 sp) { end_arrays(sp, FRAME_BLOCK_ENDED); }
void __tb_arrays_of_function_end(void) { end_arrays(*(u64 *)__builtin_frame_address(0), FRAME_RETURNED); }

/* A jump to where the stack was so high: the functions below are left. A function calls `enter` with its own frame above. */
void tb_unwind(u64 sp)
{
    struct fiber *fiber = tb_world->running;
    for (u64 i = fiber->live; i--;)
        if (fiber->frame_list[i].entered && fiber->frame_list[i].sp < sp - 16) {
            *(u64 *)fiber->frame_list[i].base = FRAME_JUMPED;
            leave(&fiber->frame_list[i]);
        }
    u64 low = (u64)__builtin_frame_address(0) & -(u64)GRANULE;
    if (sp > low && sp <= fiber->stack_high)
        tb_poison(low, sp - low, 0);
}

#define SET_SHADOW(name, how) \
    void __asan_set_shadow_##name(u64 at, u64 size) { tb_fill((void *)at, how, size); }
SET_SHADOW(00, 0x00)
SET_SHADOW(01, 0x01)
SET_SHADOW(02, 0x02)
SET_SHADOW(03, 0x03)
SET_SHADOW(04, 0x04)
SET_SHADOW(05, 0x05)
SET_SHADOW(06, 0x06)
SET_SHADOW(07, 0x07)
SET_SHADOW(f1, 0xf1)
SET_SHADOW(f2, 0xf2)
SET_SHADOW(f3, 0xf3)
SET_SHADOW(f5, 0xf5)
SET_SHADOW(f8, 0xf8)

void __asan_poison_stack_memory(u64 at, u64 size) { tb_poison(at, (size + GRANULE - 1) & -(u64)GRANULE, 0xf8); }
void __asan_unpoison_stack_memory(u64 at, u64 size) { tb_unpoison(at, size); }

/* Arrays of variable length and alloca: 32 bytes before, up to 63 behind. */
void __asan_alloca_poison(u64 at, u64 size)
{
    u64 end = (at + size + 31) & -32ul;
    tb_poison(at - 32, 32, ALLOCA_ZONE);
    tb_poison(at + size & -(u64)GRANULE, end + 32 - (at + size & -(u64)GRANULE), 0xcb);
    tb_unpoison(at, size);
}

void __asan_allocas_unpoison(u64 top, u64 bottom)
{
    if (top && top <= bottom)
        tb_poison(top, bottom - top, 0);
}
