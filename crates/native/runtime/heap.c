/* The heap, and thread-local variables: each thread has a part of it to itself, and no address is given out a second time in
 * an execution, but for those of large blocks when much has been given out. What is not a live block may not be accessed. */
#include "shadow.h"

/* Freed by another thread than the one that has allocated it, or by that one: only of those does it know, in whichever order others go on. */
enum { LIVE = 0x11fe, FREED = 0xf5eed, FREED_AT_HOME = 0xf5eee };
enum { ZONE = 48, MOST_ZONE = 2048 };

/* When a thread has used so much of its heap, which has room for so much (src/image.rs), large blocks that it has freed are used again. */
static const u64 QUARANTINE = 256ul << 20, LARGE = 1 << 16;
/* More than that nobody has. */
static const u64 TOO_MUCH = 1ul << 40;

/* Before each block. Mirrored in src/objects.rs. */
struct header {
    u64 previous; /* block of the same thread */
    u64 allocated, freed; /* where */
    u64 variable; /* thread-local: its control */
    u64 size, state;
};

/* Machine code without a source. */
extern char __start_tb_foreign[] __attribute__((weak, visibility("hidden"))),
    __stop_tb_foreign[] __attribute__((weak, visibility("hidden")));

static u64 mark(const void *block, u64 state) { return (u64)block * 0x9e3779b97f4a7c15 ^ state; }

static struct header *header(const void *block) { return (struct header *)block - 1; }

static void *allocate(u64 size, u64 align, u64 variable, u64 pc)
{
    struct fiber *fiber = tb_world->running;
    u64 zone = size / 8 < ZONE ? ZONE : size / 8 > MOST_ZONE ? MOST_ZONE : size / 8;
    u64 block = (fiber->heap + sizeof(struct header) + align - 1) & -align;
    if (block < fiber->heap || size > fiber->heap_end || block > fiber->heap_end - size - zone)
        return 0;
    u64 end = (block + size + zone + 15) & -16ul;
    tb_poison(fiber->heap, block - fiber->heap, HEAP_ZONE);
    tb_poison(block, end - block, HEAP_ZONE);
    tb_unpoison(block, size);
    /* Nobody sees what such code writes there, and an execution must not meet what the one before has left. */
    if (__start_tb_foreign != __stop_tb_foreign) {
        tb_fill((void *)fiber->heap, 0, block - fiber->heap);
        tb_fill((void *)(block + size), 0, end - block - size);
    }
    *header((void *)block) = (struct header){fiber->last_block, pc, 0, variable, size, mark((void *)block, LIVE)};
    fiber->heap = end;
    fiber->last_block = block;
    fiber->effects = 1;
    return (void *)block;
}

/* The oldest block that was freed at home and has room for so much, and not for much more. */
static void *allocate_again(u64 size, u64 align, u64 pc)
{
    struct fiber *fiber = tb_world->running;
    u64 found = 0;
    if (size < LARGE || fiber->heap - (fiber->heap_end - HEAP) + size < QUARANTINE)
        return 0;
    for (u64 block = fiber->last_block; block; block = header((void *)block)->previous) {
        struct header *its = header((void *)block);
        if (its->state == mark((void *)block, FREED_AT_HOME) && its->size >= size && its->size / 2 <= size && !(block & (align - 1)))
            found = block;
    }
    if (!found)
        return 0;
    tb_unpoison(found, size);
    struct header *its = header((void *)found);
    *its = (struct header){its->previous, pc, 0, 0, size, mark((void *)found, LIVE)};
    fiber->effects = 1;
    return (void *)found;
}

void *__tb_malloc(u64 size, u64 align, int how)
{
    u64 pc = tb_caller((u64)__builtin_frame_address(0));
    align = align < 16 ? 16 : align;
    if (size >= TOO_MUCH)
        return 0;
    void *block = allocate_again(size, align, pc);
    if (!block)
        block = allocate(size, align, 0, pc);
    if (!block)
        END(STOP_LIMIT, (u64) "the heap of a thread is full: the native backend has 2048 MiB for each, and blocks below 64 KiB that were freed count", 0, 0, 0);
    tb_fill(block, how == 1 ? 0 : 0xa5, size);
    return block;
}

/* Complains of what is no live block. */
static __attribute__((always_inline)) inline struct header *live(const void *block)
{
    struct header *found = header(block);
    int is_block = (u64)block % 16 == 0 && (u64)block >> 47 == 0 && (u64)block >= 64 &&
                   *tb_shadow((u64)block - 1) == (signed char)HEAP_ZONE;
    if (is_block && found->state == mark(block, LIVE) && !found->variable)
        return found;
    int freed = is_block && (found->state == mark(block, FREED) || found->state == mark(block, FREED_AT_HOME));
    END(STOP_BAD_FREE, (u64)block, freed, 0, 0);
}

u64 __tb_object_size(const void *block) { return live(block)->size; }

static __attribute__((always_inline)) inline void discard(void *block, u64 pc)
{
    struct header *header = live(block);
    struct fiber *fiber = tb_world->running;
    int at_home = (u64)block < fiber->heap && (u64)block >= fiber->heap_end - HEAP;
    header->state = mark(block, at_home ? FREED_AT_HOME : FREED);
    header->freed = pc;
    tb_poison((u64)block, (header->size + GRANULE - 1) & -(u64)GRANULE, HEAP_FREED);
}

void __tb_discard(void *block) { discard(block, tb_caller((u64)__builtin_frame_address(0))); }

ENTRANCE(void, __tb_free, void *block)
{
    VISIBLE(OP_Free, (u64)block, 0, 0, 0);
    discard(block, tb_caller((u64)__builtin_frame_address(0)));
}

/* Thread-local variables, as clang has them with -femulated-tls. */
struct control {
    u64 size, align, index;
    const void *value;
};

void *__emutls_get_address(struct control *control)
{
    struct fiber *fiber = tb_world->running;
    for (u64 i = 0; i < fiber->locals; i++)
        if (fiber->local[i].control == (u64)control)
            return (void *)fiber->local[i].address;
    if (fiber->locals == LOCALS)
        END(STOP_UNSUPPORTED, (u64) "more than 128 thread-local variables", 0, 0, 0);
    u64 effects = fiber->effects;
    void *variable = allocate(control->size, control->align < 16 ? 16 : control->align, (u64)control, 0);
    if (!variable)
        END(STOP_UNSUPPORTED, (u64) "thread-local variables of that size", 0, 0, 0);
    /* That it has a place by now is nothing that anybody could notice. */
    fiber->effects = effects;
    if (control->value)
        tb_bytes(variable, control->value, control->size);
    else
        tb_fill(variable, 0, control->size);
    fiber->local[fiber->locals].control = (u64)control;
    fiber->local[fiber->locals++].address = (u64)variable;
    return variable;
}
