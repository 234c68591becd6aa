/* Cleanup handlers, pthread_exit and cancellation.
 *
 * glibc's pthread_cleanup_push fills a jump buffer in the frame of its caller and registers it here. To end a thread is
 * to jump to the innermost registered buffer; the macro then calls the handler and asks for the next one by
 * __pthread_unwind_next. Handlers of our own routines are called instead. Each buffer remembers which of those were there
 * when it was registered, so that both kinds run in the order in which they were pushed, last first.
 *
 * With -fexceptions the macro expects the stack to be unwound, which the machine does not do: the handlers of such
 * code run where the block is left, not when the thread is ended inside it. */
#include "tb_pthread.h"

#include <setjmp.h>

static _Thread_local struct {
    __pthread_unwind_buf_t *jumps;
    struct _pthread_cleanup_buffer *calls;
    void *result;
} ending;

/* The four words of a buffer that are ours to use. */
enum { NEXT_JUMP, CALLS_BELOW };

void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
    buffer->__pad[NEXT_JUMP] = ending.jumps;
    buffer->__pad[CALLS_BELOW] = ending.calls;
    ending.jumps = buffer;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) { ending.jumps = buffer->__pad[NEXT_JUMP]; }

/* Every thread is in deferred mode always: there is no type to save. */
void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer) { __pthread_register_cancel(buffer); }
void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer) { __pthread_unregister_cancel(buffer); }

void __tbi_push_handler(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument)
{
    handler->__routine = routine;
    handler->__arg = argument;
    handler->__canceltype = PTHREAD_CANCEL_DEFERRED;
    handler->__prev = ending.calls;
    ending.calls = handler;
}

void __tbi_pop_handler(struct _pthread_cleanup_buffer *handler) { ending.calls = handler->__prev; }

static void run_calls_down_to(struct _pthread_cleanup_buffer *below)
{
    while (ending.calls != below) {
        struct _pthread_cleanup_buffer *handler = ending.calls;
        __tbi_pop_handler(handler);
        handler->__routine(handler->__arg);
    }
}

/* Each handler is taken off before it runs: one that ends the thread again goes on with the rest. */
static _Noreturn void unwind(void)
{
    __pthread_unwind_buf_t *buffer = ending.jumps;
    if (buffer) {
        run_calls_down_to(buffer->__pad[CALLS_BELOW]);
        __pthread_unregister_cancel(buffer);
        longjmp((struct __jmp_buf_tag *)(void *)buffer->__cancel_jmp_buf, 1);
    }
    run_calls_down_to(NULL);
    __tbi_thread_finish(ending.result);
}

void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
    (void)buffer;
    unwind();
}

void __tbi_thread_exit(void *result)
{
    __tb_cancel_state(PTHREAD_CANCEL_DISABLE);
    ending.result = result;
    unwind();
}

void __tbi_cancelled(void) { __tbi_thread_exit(PTHREAD_CANCELED); }

void __tb_cancellation_point(void)
{
    if (__tb_testcancel(0))
        __tbi_cancelled();
}

void pthread_exit(void *result) { __tbi_thread_exit(result); }
void pthread_testcancel(void) { __tb_cancellation_point(); }

int pthread_setcancelstate(int state, int *old)
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    int before = __tb_cancel_state(state == PTHREAD_CANCEL_DISABLE);
    if (old)
        *old = before ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        __tb_unsupported("asynchronous cancellation");
    if (type != PTHREAD_CANCEL_DEFERRED)
        return EINVAL;
    if (old)
        *old = PTHREAD_CANCEL_DEFERRED;
    return 0;
}

/* The interface of objects that are older than the jump buffers; also what some libraries call directly. */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *handler, int execute);
void _pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument);
void _pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *handler, int execute);

void _pthread_cleanup_push(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument)
{
    __tbi_push_handler(handler, routine, argument);
}

void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *handler, int execute)
{
    __tbi_pop_handler(handler);
    if (execute)
        handler->__routine(handler->__arg);
}

void _pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *handler, void (*routine)(void *), void *argument)
{
    _pthread_cleanup_push(handler, routine, argument);
}

void _pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *handler, int execute)
{
    _pthread_cleanup_pop(handler, execute);
}

/* What the macro's block calls when it is left, in code that was compiled with -fexceptions. */
void __pthread_cleanup_routine(struct __pthread_cleanup_frame *frame);
void __pthread_cleanup_routine(struct __pthread_cleanup_frame *frame)
{
    if (frame->__do_it)
        frame->__cancel_routine(frame->__cancel_arg);
}
