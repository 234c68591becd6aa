/* What the files of the floor share. The structures are mirrored in src/world.rs. */
#ifndef TB_FLOOR_H
#define TB_FLOOR_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;

/* Why a fiber has stopped. */
enum {
    STOP_VISIBLE,     /* it stands at a visible operation */
    STOP_DRAIN,       /* the log of plain accesses is full */
    STOP_CUT,         /* a failed assume */
    STOP_ASSERT,      /* expression, file, line, function */
    STOP_ERROR,       /* a message */
    STOP_UNSUPPORTED, /* its name */
    STOP_DEATH,       /* the number of a signal that the program sends itself */
    STOP_CRASH,       /* the number of a signal, the address */
    STOP_HANG,        /* local code goes on and on */
    STOP_BAD_FREE,    /* the address; whether it was freed before */
    STOP_BAD_ACCESS,  /* the address, the size, whether it writes */
    STOP_OVERLAP,     /* a copy: where to, where from, the size */
    STOP_FUNCTION,    /* a function that is about to be called, with how many words: it goes on if that fits */
    STOP_VALUE,       /* what an invariant gives */
    STOP_CALL,        /* what is about to be called by a pointer, and how: it goes on if that fits */
    STOP_JUMP,        /* where a longjmp leads: the stack, the frame, the code; it goes on if somebody is there */
    STOP_LIMIT,       /* what is exhausted */
};

enum { LOCALS = 128, FRAMES = 256, WRITTEN = 4 };

/* A thread's own part of the heap. */
static const u64 HEAP = 2ul << 30;

/* The place of the variables of a function that runs (frames.c). */
struct frame {
    u64 base, size;
    u64 sp; /* of its function, nearly */
    u64 entered;
};

/* The first word of a frame: its function runs, has returned, or was left by longjmp, or it is an array whose block has ended. The pass
 * writes the first two as well. */
enum { FRAME_LIVE = 0x41b58ab3, FRAME_RETURNED = 0x45e0360e, FRAME_JUMPED = 0x4a554d50, FRAME_BLOCK_ENDED = 0x424c4f43 };

/* How a frame was entered: by a function, or for an array of one. */
enum { BY_FUNCTION = 1, FOR_ARRAY = 2 };

struct fiber {
    void *sp;
    u64 stop, operation, arguments[6], pc, frame;
    u64 registers[5];       /* rbx r12 r13 r14 r15 of its own code */
    u64 result;             /* of the operation: the engine's answer */
    u64 effects;            /* local code has written to what is not its own stack, apart from this: */
    u64 written;
    struct {
        u64 address, size, before;
    } write[WRITTEN]; /* if this is not what it was, that is an effect as well */
    u64 stack_low, stack_high;
    u64 frames, frames_end; /* frames above the stack: the next byte */
    u64 heap, heap_end;     /* its own part of the heap: the next byte */
    u64 last_block;
    u64 number;             /* of the thread */
    u64 start, parameters[3];
    u64 locals;
    u64 cancel_disabled;
    struct {
        u64 control, address;
    } local[LOCALS]; /* its thread-local variables */
    u64 live;
    struct frame frame_list[FRAMES];
};

enum { WRITES = 1, BY_LIBRARY = 2 };

/* A plain access. */
struct entry {
    u64 address, pc;
    u32 size, flags;
};

enum { LOG = 4096, CALLS = 256 };

struct world {
    struct fiber *running; /* null: the engine */
    void *engine;
    u64 registers[5]; /* those of the fiber when it came to the floor: see ENTRANCE */
    u64 every_access; /* plain accesses of the program are visible operations */
    u64 logging;
    u64 logged, most; /* the log is full with so many */
    u64 steps;
    void (*print)(const void *from, u64 n);
    const u8 *input; /* all of it */
    u64 input_length, input_taken;
    int (*host_file)(const char *path, void *to);
    void (*host_read)(const char *name, u64 offset, void *to, u64 n);
    struct entry log[LOG];
    /* Calls by pointers that were found right: the function, and the number of how it is called, from 1. */
    u64 calls[CALLS][2];
};

extern struct world *tb_world __attribute__((visibility("hidden")));

/* A function that the program calls and that may stop its fiber. What the program keeps in registers belongs to its local
 * state: the world gets it before the compiler has a use of its own for them. */
#define ENTRANCE(type, name, ...)                                                                        \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                          \
            "  movq tb_world(%rip), %r11\n"                                                               \
            "  movq %rbx, 16(%r11)\n  movq %r12, 24(%r11)\n  movq %r13, 32(%r11)\n"                      \
            "  movq %r14, 40(%r11)\n  movq %r15, 48(%r11)\n"                                              \
            "  jmp in_" #name "\n");                                                                      \
    __attribute__((used, visibility("hidden"))) type in_##name(__VA_ARGS__)

_Static_assert(__builtin_offsetof(struct world, registers) == 16, "ENTRANCE knows it");

/* The fiber stops, and comes back with the engine's answer, if at all. */
u64 tb_stop(u64 why, u64 operation, u64 a, u64 b, u64 c, u64 d, u64 pc, u64 frame);

/* OP_ and the number of each operation: written by the engine (src/compile.rs). */
#include "operations.h"

#define HERE (u64) __builtin_return_address(0), (u64)__builtin_frame_address(0)
#define VISIBLE(operation, a, b, c, d) tb_stop(STOP_VISIBLE, operation, a, b, c, d, HERE)
#define END(why, a, b, c, d)                 \
    do {                                     \
        tb_stop(why, 0, a, b, c, d, HERE);   \
        __builtin_unreachable();             \
    } while (1)

/* The code of the C library. */
extern char __start_tb_code[], __stop_tb_code[];

/* Where the program itself has called what led to a frame. */
static inline u64 tb_caller(u64 frame)
{
    u64 pc;
    do {
        pc = ((u64 *)frame)[1];
        frame = ((u64 *)frame)[0];
    } while (frame && pc - (u64)__start_tb_code < (u64)(__stop_tb_code - __start_tb_code));
    return pc;
}

/* No memcpy of the compiler's: that one belongs to the program. */
static inline void tb_bytes(void *to, const void *from, u64 n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void tb_fill(void *to, int byte, u64 n)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

#endif
