/* The floor under a program that runs as machine code: fibers, the primitives of the C runtime (vm/runtime/tb_runtime.h and
 * tb_threads.h), and what the C library needs of the outside. The visible operations themselves are stubs that the engine
 * writes (operations.c): the engine does what they do, on the program's own memory, and gives the answer. */
#include "shadow.h"

struct world *tb_world;

/* ---- fibers ---- */

/* Saves what a function must not change on the stack, keeps the stack pointer at `save`, goes on at `to`. Strings are gone through
 * upwards there, whatever assembly code has left behind. */
void tb_switch(void **save, void *to);
__asm__(".text\n"
        ".globl tb_switch\n"
        ".hidden tb_switch\n"
        "tb_switch:\n"
        "  cld\n  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n");

u64 tb_stop(u64 why, u64 operation, u64 a, u64 b, u64 c, u64 d, u64 pc, u64 frame)
{
    struct world *world = tb_world;
    struct fiber *fiber = world->running;
    fiber->stop = why;
    fiber->operation = operation;
    fiber->arguments[0] = a;
    fiber->arguments[1] = b;
    fiber->arguments[2] = c;
    fiber->arguments[3] = d;
    fiber->pc = pc;
    fiber->frame = frame;
    for (int i = 0; i < 5; i++)
        fiber->registers[i] = world->registers[i];
    world->running = 0;
    tb_switch(&fiber->sp, world->engine);
    return fiber->result;
}

/* Lets a fiber go on until it stops. */
void tb_resume(struct fiber *fiber)
{
    tb_world->running = fiber;
    tb_switch(&tb_world->engine, fiber->sp);
}

static void begin(void)
{
    struct fiber *fiber = tb_world->running;
    ((void (*)(u64, u64, u64))fiber->start)(fiber->parameters[0], fiber->parameters[1], fiber->parameters[2]);
    END(STOP_UNSUPPORTED, (u64) "a thread whose first function returns", 0, 0, 0);
}

/* An invariant, called as the first function of a fiber. */
static void evaluate(u64 function) { END(STOP_VALUE, (u64)((u32(*)(void))function)(), 0, 0, 0); }

/* A fresh stack: what tb_switch takes from it, then the first function. */
void tb_prepare(struct fiber *fiber)
{
    u64 *top = (u64 *)(fiber->stack_high - 64);
    *--top = 0; /* nobody called it */
    *--top = (u64)begin;
    for (int i = 0; i < 6; i++)
        *--top = 0;
    *--top = 0x1f80 | 0x37ful << 32;
    fiber->sp = top;
}

/* ---- memory ---- */

#define COPY_PLAINLY(to, from, n, look)                                 \
    do {                                                                \
        CHECK(from, n, 0);                                              \
        CHECK(to, n, 1);                                                \
        look(to, from, n);                                              \
        tb_plain((u64)(from), n, BY_LIBRARY, HERE);                     \
        tb_plain((u64)(to), n, BY_LIBRARY | WRITES, HERE);              \
    } while (0)

void __tb_memcpy(void *to, const void *from, u64 n)
{
    COPY_PLAINLY(to, from, n, APART);
    tb_bytes(to, from, n);
}

void tb_move(u8 *to, const u8 *from, u64 n)
{
    if ((u64)to - (u64)from >= n)
        tb_bytes(to, from, n);
    else
        while (n--)
            to[n] = from[n];
}

void __tb_memmove(void *to, const void *from, u64 n)
{
    COPY_PLAINLY(to, from, n, ANYWHERE);
    tb_move(to, from, n);
}

void __tb_memset(void *to, int byte, u64 n)
{
    CHECK(to, n, 1);
    tb_plain((u64)to, n, BY_LIBRARY | WRITES, HERE);
    tb_fill(to, byte, n);
}

/* ---- the outside, and ends ---- */

long __tb_write(int fd, const void *from, u64 n)
{
    (void)fd;
    CHECK(from, n, 0);
    tb_plain((u64)from, n, BY_LIBRARY, HERE);
    tb_world->running->effects = 1;
    tb_world->print(from, n);
    return (long)n;
}

long __tb_read(int fd, void *to, u64 n)
{
    struct world *world = tb_world;
    (void)fd;
    if (n > world->input_length - world->input_taken)
        n = world->input_length - world->input_taken;
    CHECK(to, n, 1);
    tb_plain((u64)to, n, BY_LIBRARY | WRITES, HERE);
    tb_bytes(to, world->input + world->input_taken, n);
    world->input_taken += n;
    world->running->effects = 1;
    return (long)n;
}

static u64 length_of(const char *text)
{
    const char *end = text;
    do
        CHECK(end, 1, 0);
    while (*end++);
    return (u64)(end - text);
}

int __tb_host_file(const char *path, void *to)
{
    tb_plain((u64)path, length_of(path), BY_LIBRARY, HERE);
    return tb_world->host_file(path, to);
}

void __tb_host_read(const char *name, u64 offset, void *to, u64 n)
{
    CHECK(to, n, 1);
    tb_plain((u64)to, n, BY_LIBRARY | WRITES, HERE);
    tb_world->host_read(name, offset, to, n);
}

void __tb_signal_death(int signal) { END(STOP_DEATH, (u64)signal, 0, 0, 0); }
void __tb_unsupported(const char *what) { END(STOP_UNSUPPORTED, (u64)what, 0, 0, 0); }
void __tb_error(const char *message) { END(STOP_ERROR, (u64)message, 0, 0, 0); }

/* What the hardware would trap on, if it were asked (src/traps.rs); the last numbers are those of src/signals.rs. */
enum { SIGNAL_ILL = 4, SIGNAL_FPE = 8, BY_ZERO = 32, BY_MINUS_ONE = 64, UNREACHABLE = 128 };

void __tb_division(u64 by_zero, u64 overflows)
{
    if (__builtin_expect(by_zero | overflows, 0))
        END(STOP_CRASH, SIGNAL_FPE, 0, by_zero ? BY_ZERO : BY_MINUS_ONE, 0);
}

void __tb_unreachable(void) { END(STOP_CRASH, SIGNAL_ILL, 0, UNREACHABLE, 0); }

void __tb_assert_fail(const char *expression, const char *file, u32 line, const char *function)
{
    END(STOP_ASSERT, (u64)expression, (u64)file, line, (u64)function);
}

void __tb_assert(int condition, const char *message)
{
    /* Who looks for several bugs goes on. */
    if (!condition)
        tb_stop(STOP_ASSERT, 0, (u64)message, 0, 0, 0, HERE);
}

void __tb_assume(int condition)
{
    if (!condition)
        END(STOP_CUT, 0, 0, 0, 0);
}

/* ---- threads ---- */

void __tbi_exit(int status) __attribute__((noreturn));

/* The last thread of the process comes back, and ends the process. */
ENTRANCE(void, __tb_thread_end, void *result)
{
    VISIBLE(OP_ThreadEnd, (u64)result, 0, 0, 0);
    __tbi_exit(0);
}

enum { HANDLES = 0x74680000 };

u64 __tb_thread_self(void) { return HANDLES + tb_world->running->number; }
int __tb_thread_is_main(void) { return tb_world->running->number == 0; }
int __tb_thread_detached(u64 thread)
{
    (void)thread;
    END(STOP_UNSUPPORTED, (u64) "to ask whether a thread is detached", 0, 0, 0);
}

int __tb_cancel_state(int disabled)
{
    struct fiber *fiber = tb_world->running;
    int before = (int)fiber->cancel_disabled;
    fiber->cancel_disabled = disabled != 0;
    return before;
}

/* Formulas name labels; they are not for this machine. */
void __tb_label(const char *name) { (void)name; }
void __tb_progress(void) {}
void __tb_abstract(const void *object, u64 size) { (void)object, (void)size; }
void __tb_need_function(void (*function)(void), int arguments)
{
    tb_stop(STOP_FUNCTION, 0, (u64)function, (u64)arguments, 0, 0, HERE);
}

void __tb_call(u64 function, u64 how)
{
    u64 *known = tb_world->calls[(function >> 4 ^ how * 31) % CALLS];
    if (known[0] == function && known[1] == how + 1)
        return;
    tb_stop(STOP_CALL, 0, function, how, 0, 0, HERE);
    known[0] = function;
    known[1] = how + 1;
}

__attribute__((used, visibility("hidden"))) void tb_look_at_jump(const u64 *buffer)
{
    tb_stop(STOP_JUMP, 0, buffer[6], buffer[1], buffer[7], 0, HERE);
}

/* ---- setjmp: rbx rbp r12..r15 rsp pc, as in glibc's buffer of eight words, and no signal mask ---- */

__asm__(".text\n"
        ".globl setjmp\n.globl _setjmp\n.globl sigsetjmp\n.globl __sigsetjmp\n"
        "setjmp:\n_setjmp:\nsigsetjmp:\n__sigsetjmp:\n"
        "  movq %rbx, (%rdi)\n  movq %rbp, 8(%rdi)\n  movq %r12, 16(%rdi)\n  movq %r13, 24(%rdi)\n"
        "  movq %r14, 32(%rdi)\n  movq %r15, 40(%rdi)\n"
        "  leaq 8(%rsp), %rax\n  movq %rax, 48(%rdi)\n  movq (%rsp), %rax\n  movq %rax, 56(%rdi)\n"
        "  movl $0, 64(%rdi)\n  xorl %eax, %eax\n  ret\n"
        ".globl __tb_longjmp\n"
        "__tb_longjmp:\n"
        "  pushq %rdi\n  pushq %rsi\n  subq $8, %rsp\n  call tb_look_at_jump\n"
        "  movq 16(%rsp), %rdi\n  movq 48(%rdi), %rdi\n  call tb_unwind\n"
        "  addq $8, %rsp\n  popq %rsi\n  popq %rdi\n"
        "  movl %esi, %eax\n  testl %eax, %eax\n  jnz 1f\n  incl %eax\n1:\n"
        "  movq (%rdi), %rbx\n  movq 8(%rdi), %rbp\n  movq 16(%rdi), %r12\n  movq 24(%rdi), %r13\n"
        "  movq 32(%rdi), %r14\n  movq 40(%rdi), %r15\n  movq 48(%rdi), %rsp\n  jmp *56(%rdi)\n");

/* ---- what the engine calls ---- */

extern char __start_tb_library[] __attribute__((weak)), __stop_tb_library[] __attribute__((weak));
extern char __start_tb_code[], __stop_tb_code[];
extern char __start_tb_foreign[] __attribute__((weak)), __stop_tb_foreign[] __attribute__((weak));
extern char __start_asan_globals[] __attribute__((weak)), __stop_asan_globals[] __attribute__((weak));
extern void *tb_math[] __attribute__((visibility("hidden")));
void __tb_start(int argc, char **argv, char **envp) __attribute__((noreturn));

/* Mirrored in src/image.rs. */
const struct {
    struct world **world;
    void (*prepare)(struct fiber *fiber);
    void (*resume)(struct fiber *fiber);
    u64 (*stop)(u64, u64, u64, u64, u64, u64, u64, u64);
    void (*start)(int, char **, char **);
    void (*evaluate)(u64);
    /* The variables and the code of the C library. */
    char *library, *library_end, *code, *code_end;
    /* Machine code without a source (src/foreign.rs). */
    char *foreign, *foreign_end;
    /* The variables of the program, as the compiler describes them. */
    char *globals, *globals_end;
    /* Functions of the system's, which the engine finds. */
    void **math;
} tb_image = {
    &tb_world,          tb_prepare,        tb_resume,       tb_stop,        __tb_start,    evaluate,
    __start_tb_library, __stop_tb_library, __start_tb_code, __stop_tb_code, __start_tb_foreign, __stop_tb_foreign,
    __start_asan_globals, __stop_asan_globals, tb_math,
};
