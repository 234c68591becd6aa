/* The texts of signals, which are those that glibc prints. */
#include "tb_internal.h"

#include <signal.h>
#include <string.h>

static const char texts[] = "\0Hangup\0Interrupt\0Quit\0Illegal instruction\0Trace/breakpoint trap\0Aborted\0"
                            "Bus error\0Floating point exception\0Killed\0User defined signal 1\0"
                            "Segmentation fault\0User defined signal 2\0Broken pipe\0Alarm clock\0Terminated\0"
                            "Stack fault\0Child exited\0Continued\0Stopped (signal)\0Stopped\0"
                            "Stopped (tty input)\0Stopped (tty output)\0Urgent I/O condition\0"
                            "CPU time limit exceeded\0File size limit exceeded\0Virtual timer expired\0"
                            "Profiling timer expired\0Window changed\0I/O possible\0Power failure\0Bad system call";

static const char *signal_text(int signal)
{
    if (signal <= 0 || signal > SIGSYS)
        return NULL;
    const char *text = texts;
    while (signal--)
        text += tb_strlen(text) + 1;
    return text;
}

char *strsignal(int signal)
{
    static _Thread_local char buffer[40];
    const char *text = signal_text(signal);
    if (text)
        return (char *)text;
    bool real_time = signal >= __SIGRTMIN + 2 && signal <= __SIGRTMAX;
    __tbi_snprintf(buffer, sizeof buffer, real_time ? "Real-time signal %d" : "Unknown signal %d",
             real_time ? signal - __SIGRTMIN - 2 : signal);
    return buffer;
}

const char *sigdescr_np(int signal) { return signal_text(signal); }

void psignal(int signal, const char *prefix)
{
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    const char *text = signal_text(signal);
    tb_sink_fd(&sink, 2, buffer);
    if (prefix && *prefix) {
        tb_put(&sink, prefix, tb_strlen(prefix));
        tb_put(&sink, ": ", 2);
    }
    char unknown[40];
    if (!text) {
        __tbi_snprintf(unknown, sizeof unknown, "Unknown signal %d", signal);
        text = unknown;
    }
    tb_put(&sink, text, tb_strlen(text));
    tb_put_byte(&sink, '\n');
    __tbi_sink_finish(&sink);
}
