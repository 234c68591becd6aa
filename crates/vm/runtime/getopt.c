/* getopt and getopt_long, as in glibc: options may follow other arguments, which are moved behind them step by step;
 * a long name may be cut where it stays unique. Not thread-safe, like its variables. */
#include "tb_internal.h"

#include <getopt.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* What an argument that is no option means: it is moved to the end, ends the options, or is handed out as option 1. */
enum order { PERMUTE, STOP, IN_ORDER };

static enum order order;
static bool started;
static char *cluster; /* the rest of an argument with several short options */
/* The arguments that were skipped: argv[skipped_first..skipped_last). */
static int skipped_first, skipped_last;

/* What one call is given. */
struct call {
    int argc;
    char **argv;
    const char *options;
    const struct option *longs;
    int *index;
    bool long_only;
    bool silent; /* a colon: no messages, and ':' for a missing argument */
};

static void reverse(char **from, char **to)
{
    for (; from < to; from++) {
        char *text = *from;
        *from = *--to;
        *to = text;
    }
}

/* Puts the options that were read since behind the skipped arguments before them. */
static void move_skipped(char **argv)
{
    if (skipped_first != skipped_last && skipped_last != optind) {
        reverse(argv + skipped_first, argv + skipped_last);
        reverse(argv + skipped_last, argv + optind);
        reverse(argv + skipped_first, argv + optind);
    }
    skipped_first += optind - skipped_last;
    skipped_last = optind;
}

static bool is_option(const char *argument) { return argument[0] == '-' && argument[1]; }

static void message(const struct call *call, const char *format, ...)
{
    if (!opterr || call->silent)
        return;
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    va_list list;
    va_start(list, format);
    tb_sink_fd(&sink, 2, buffer);
    __tbi_format(&sink, format, list);
    va_end(list);
}

static int missing(const struct call *call) { return call->silent ? ':' : '?'; }

/* ---- long options ---- */

static bool starts_with(const char *name, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name[i] != text[i])
            return false;
    return true;
}

static bool same(const struct option *a, const struct option *b)
{
    return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/* The index of the option that the first n characters mean, -1 for none, -2 if there are several. */
static int find_long(const struct call *call, const char *name, size_t n)
{
    int found = -1;
    bool ambiguous = false;
    for (int i = 0; call->longs[i].name; i++) {
        if (!starts_with(call->longs[i].name, name, n))
            continue;
        if (!call->longs[i].name[n])
            return i;
        if (found < 0)
            found = i;
        else if (call->long_only || !same(&call->longs[found], &call->longs[i]))
            ambiguous = true;
    }
    return ambiguous ? -2 : found;
}

static void report_ambiguous(const struct call *call, const char *prefix, const char *name, size_t n)
{
    if (!opterr || call->silent)
        return;
    char buffer[TB_SINK_BUFFER];
    struct tb_sink sink;
    tb_sink_fd(&sink, 2, buffer);
#define PUT(text) tb_put(&sink, text, tb_strlen(text))
    PUT(call->argv[0]);
    PUT(": option '");
    PUT(prefix);
    PUT(name);
    PUT("' is ambiguous; possibilities:");
    for (int i = 0; call->longs[i].name; i++)
        if (starts_with(call->longs[i].name, name, n)) {
            PUT(" '");
            PUT(prefix);
            PUT(call->longs[i].name);
            PUT("'");
        }
    PUT("\n");
#undef PUT
    __tbi_sink_finish(&sink);
}

/* Reads the long option at `name`, which came after `prefix`. -1: it is none, but may be a short one. */
static int read_long(const struct call *call, const char *name, const char *prefix)
{
    size_t n = 0;
    while (name[n] && name[n] != '=')
        n++;
    int index = find_long(call, name, n);
    if (index == -2) {
        report_ambiguous(call, prefix, name, n);
        optind++;
        cluster = NULL;
        optopt = 0;
        return '?';
    }
    if (index == -1) {
        /* -x may still be a short option; --x cannot. */
        if (call->long_only && prefix[1] != '-' && tb_strchr(call->options, *name))
            return -1;
        message(call, "%s: unrecognized option '%s%s'\n", call->argv[0], prefix, name);
        optind++;
        cluster = NULL;
        optopt = 0;
        return '?';
    }
    const struct option *option = &call->longs[index];
    optind++;
    cluster = NULL;
    if (name[n]) {
        if (option->has_arg == no_argument) {
            message(call, "%s: option '%s%s' doesn't allow an argument\n", call->argv[0], prefix, option->name);
            optopt = option->val;
            return '?';
        }
        optarg = (char *)name + n + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= call->argc) {
            message(call, "%s: option '%s%s' requires an argument\n", call->argv[0], prefix, option->name);
            optopt = option->val;
            return missing(call);
        }
        optarg = call->argv[optind++];
    }
    if (call->index)
        *call->index = index;
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}

/* ---- short options ---- */

static int read_short(const struct call *call)
{
    char letter = *cluster++;
    const char *option = letter == ':' || letter == ';' ? NULL : tb_strchr(call->options, letter);
    if (!*cluster)
        optind++;
    if (!option) {
        message(call, "%s: invalid option -- '%c'\n", call->argv[0], letter);
        optopt = (unsigned char)letter;
        return '?';
    }
    if (option[1] != ':')
        return (unsigned char)letter;
    bool optional = option[2] == ':';
    if (*cluster) {
        optarg = cluster;
        optind++;
    } else if (optional) {
        optarg = NULL;
    } else if (optind >= call->argc) {
        message(call, "%s: option requires an argument -- '%c'\n", call->argv[0], letter);
        optopt = (unsigned char)letter;
        letter = (char)missing(call);
    } else {
        optarg = call->argv[optind++];
    }
    cluster = NULL;
    return (unsigned char)letter;
}

/* ---- the walk over the arguments ---- */

static const char *start(const char *options, bool posix)
{
    if (optind == 0 || !started) {
        if (optind == 0)
            optind = 1;
        skipped_first = skipped_last = optind;
        cluster = NULL;
        bool strict = *options == '+' || posix || __tbi_getenv("POSIXLY_CORRECT");
        order = *options == '-' ? IN_ORDER : strict ? STOP : PERMUTE;
        started = true;
    }
    return *options == '-' || *options == '+' ? options + 1 : options;
}

/* Moves on to the next argument with an option. 0 if there is one, else what getopt returns. */
static int advance(const struct call *call)
{
    if (skipped_last > optind)
        skipped_last = optind;
    if (skipped_first > optind)
        skipped_first = optind;
    if (order == PERMUTE) {
        move_skipped(call->argv);
        while (optind < call->argc && !is_option(call->argv[optind]))
            optind++;
        skipped_last = optind;
    }
    if (optind < call->argc && !tb_strcmp(call->argv[optind], "--")) {
        optind++;
        if (skipped_first != skipped_last)
            move_skipped(call->argv);
        else
            skipped_first = optind;
        skipped_last = call->argc;
        optind = call->argc;
    }
    if (optind >= call->argc) {
        if (skipped_first != skipped_last)
            optind = skipped_first;
        return -1;
    }
    if (!is_option(call->argv[optind])) {
        if (order == STOP)
            return -1;
        optarg = call->argv[optind++];
        return 1;
    }
    return 0;
}

static int next_option(struct call call, bool posix)
{
    if (call.argc < 1)
        return -1;
    optarg = NULL;
    call.options = start(call.options, posix);
    call.silent = *call.options == ':';
    if (!cluster || !*cluster) {
        int end = advance(&call);
        if (end)
            return end;
        char *argument = call.argv[optind];
        if (call.longs && argument[1] == '-')
            return read_long(&call, argument + 2, "--");
        /* -x is a long option only if there is more than one letter, or no such short option. */
        if (call.longs && call.long_only && (argument[2] || !tb_strchr(call.options, argument[1]))) {
            int option = read_long(&call, argument + 1, "-");
            if (option != -1)
                return option;
        }
        cluster = argument + 1;
    }
    return read_short(&call);
}

int getopt(int argc, char *const *argv, const char *options)
{
    return next_option((struct call){argc, (char **)argv, options, NULL, NULL, false, false}, false);
}

/* getopt where the program asks for strict POSIX. */
int __posix_getopt(int argc, char *const *argv, const char *options)
{
    return next_option((struct call){argc, (char **)argv, options, NULL, NULL, false, false}, true);
}

int getopt_long(int argc, char *const *argv, const char *options, const struct option *longs, int *index)
{
    return next_option((struct call){argc, (char **)argv, options, longs, index, false, false}, false);
}

int getopt_long_only(int argc, char *const *argv, const char *options, const struct option *longs, int *index)
{
    return next_option((struct call){argc, (char **)argv, options, longs, index, true, false}, false);
}
