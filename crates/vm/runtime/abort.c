/* How a program ends in disorder: abort, a failed assertion, an overflow that fortified code has found. */
#include "tb_internal.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

void __tbi_abort(void)
{
    __tbi_raise_abort();
    __tb_signal_death(SIGABRT);
}

void abort(void) { __tbi_abort(); }

static _Noreturn void die(const char *text)
{
    __tbi_write_all(2, text, tb_strlen(text));
    __tbi_abort();
}

void __tbi_overflow_detected(void) { die("*** buffer overflow detected ***: terminated\n"); }

void __chk_fail(void) { __tbi_overflow_detected(); }

void __stack_chk_fail(void) { die("*** stack smashing detected ***: terminated\n"); }

/* FD_SET of a descriptor that does not fit. */
long __fdelt_chk(long descriptor)
{
    if (descriptor < 0 || descriptor >= 1024)
        __tbi_overflow_detected();
    return descriptor / 64;
}

void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    __tb_assert_fail(expression, file, line, function);
}

void __assert(const char *expression, const char *file, int line)
{
    __tb_assert_fail(expression, file, (unsigned)line, NULL);
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    char buffer[TB_ERROR_SIZE];
    __tb_assert_fail(__tbi_error_message(error, buffer), file, line, function);
}
