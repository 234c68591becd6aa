/* The jumps of <setjmp.h>, and the signal mask that goes with them. The machine itself saves and restores the stack; it
 * calls __tb_save_mask before it does so for setjmp (without the mask) and sigsetjmp. */
#include "tb_internal.h"

#include <setjmp.h>
#include <signal.h>

/* Weak: in a program that has nothing of signal.c the mask is empty and stays so. */
__attribute__((weak)) int __tbi_change_mask(int how, const sigset_t *set, sigset_t *old);

_Noreturn void __tb_longjmp(struct __jmp_buf_tag *buffer, int value);
void __tb_save_mask(struct __jmp_buf_tag *buffer, int wanted);

/* The buffers of pthread_cleanup_push end before the mask: without `wanted` nothing is written there. */
void __tb_save_mask(struct __jmp_buf_tag *buffer, int wanted)
{
    buffer->__mask_was_saved = wanted != 0;
    if (!wanted)
        return;
    buffer->__saved_mask.__val[0] = 0;
    if (__tbi_change_mask)
        __tbi_change_mask(SIG_BLOCK, NULL, (sigset_t *)&buffer->__saved_mask);
}

static _Noreturn void jump(struct __jmp_buf_tag *buffer, int value)
{
    if (buffer->__mask_was_saved && __tbi_change_mask)
        __tbi_change_mask(SIG_SETMASK, (const sigset_t *)&buffer->__saved_mask, NULL);
    __tb_longjmp(buffer, value);
}

void longjmp(struct __jmp_buf_tag buffer[1], int value) { jump(buffer, value); }

void _longjmp(struct __jmp_buf_tag buffer[1], int value) { jump(buffer, value); }

void siglongjmp(struct __jmp_buf_tag buffer[1], int value) { jump(buffer, value); }

/* What a fortified program calls. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value);
void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value) { jump(buffer, value); }
