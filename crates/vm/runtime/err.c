/* <err.h> and <error.h>: "program: message: error text", and perhaps the end. */
#include "tb_internal.h"

#include <err.h>
#include <error.h>
#include <stdlib.h>

unsigned error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void put_error(struct tb_sink *sink, int error)
{
    char buffer[TB_ERROR_SIZE];
    const char *text = __tbi_error_message(error, buffer);
    tb_put(sink, ": ", 2);
    tb_put(sink, text, tb_strlen(text));
}

/* `error` 0: without an error text. */
static void report(int error, const char *format, va_list list)
{
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    tb_sink_fd(&sink, 2, buffer);
    tb_put(&sink, program_invocation_short_name, tb_strlen(program_invocation_short_name));
    if (format) {
        tb_put(&sink, ": ", 2);
        __tbi_format_into(&sink, format, list);
    }
    if (error)
        put_error(&sink, error);
    else if (!format)
        tb_put(&sink, ": ", 2);
    tb_put_byte(&sink, '\n');
    __tbi_sink_finish(&sink);
}

void vwarn(const char *format, va_list list) { report(errno, format, list); }
void vwarnx(const char *format, va_list list) { report(0, format, list); }

void verr(int status, const char *format, va_list list)
{
    report(errno, format, list);
    __tbi_exit(status);
}

void verrx(int status, const char *format, va_list list)
{
    report(0, format, list);
    __tbi_exit(status);
}

void warn(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(errno, format, list);
    va_end(list);
}

void warnx(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(0, format, list);
    va_end(list);
}

void err(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    verr(status, format, list);
}

void errx(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    verrx(status, format, list);
}

static void report_at(int status, int number, const char *file, unsigned line, const char *format, va_list list)
{
    char buffer[TB_SINK_BUFFER], position[24];
    struct tb_sink sink;
    tb_sink_fd(&sink, 2, buffer);
    if (error_print_progname)
        error_print_progname();
    else
        tb_put(&sink, program_invocation_name, tb_strlen(program_invocation_name));
    tb_put(&sink, file ? ":" : ": ", file ? 1 : 2);
    if (file) {
        tb_put(&sink, file, tb_strlen(file));
        int n = __tbi_snprintf(position, sizeof position, ":%u: ", line);
        tb_put(&sink, position, (size_t)n);
    }
    __tbi_format_into(&sink, format, list);
    if (number)
        put_error(&sink, number);
    tb_put_byte(&sink, '\n');
    __tbi_sink_finish(&sink);
    __tb_hidden_state(&error_message_count);
    error_message_count++;
    if (status)
        __tbi_exit(status);
}

void error(int status, int number, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report_at(status, number, NULL, 0, format, list);
    va_end(list);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report_at(status, number, file, line, format, list);
    va_end(list);
}
