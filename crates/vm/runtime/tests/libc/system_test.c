/* Signals, the process, the locale, getopt, paths, error messages. */
#include "harness.h"

#include <err.h>
#include <error.h>
#include <getopt.h>
#include <langinfo.h>
#include <libgen.h>
#include <locale.h>
#include <signal.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <arpa/inet.h>

OURS(signal); OURS(sigaction); OURS(raise); OURS(kill); OURS(sigprocmask); OURS(sigpending); OURS(sigemptyset);
OURS(sigfillset); OURS(sigaddset); OURS(sigdelset); OURS(sigismember); OURS(abort);
OURS(getpid); OURS(write); OURS(isatty); OURS(sysconf); OURS(getpagesize); OURS(get_nprocs);
OURS(setlocale); OURS(localeconv); OURS(nl_langinfo);
OURS(dirname); OURS(warn); OURS(warnx); OURS(err); OURS(error);
OURS(__errno_location);
extern char *tb_basename(const char *), *tb___xpg_basename(char *);
extern uint32_t tb_htonl(uint32_t);
extern uint16_t tb_ntohs(uint16_t);
extern int tb_getopt(int, char *const *, const char *);
extern int tb_getopt_long(int, char *const *, const char *, const struct option *, int *);
extern int tb_getopt_long_only(int, char *const *, const char *, const struct option *, int *);
extern char *tb_optarg, **tb_environ;
extern int tb_optind, tb_opterr, tb_optopt;

/* ---- signals ---- */

static int caught[10], catches, info_signal;
static void catch(int signal) { caught[catches++ % 10] = signal; }
static void catch_and_raise(int signal)
{
    caught[catches++ % 10] = signal;
    if (catches < 3)
        tb_raise(signal); /* blocked while the handler runs, so it comes after it */
}
static void catch_with_info(int signal, siginfo_t *info, void *context)
{
    (void)context;
    info_signal = signal == info->si_signo ? signal : -1;
}

static void signals(void)
{
    CHECK(tb_signal(SIGUSR1, catch) == SIG_DFL && tb_signal(SIGUSR1, catch) == catch, "signal");
    CHECK(tb_raise(SIGUSR1) == 0 && catches == 1 && caught[0] == SIGUSR1, "raise");
    CHECK(tb_kill(tb_getpid(), SIGUSR1) == 0 && catches == 2, "kill of the process itself");
    tb_signal(SIGUSR1, SIG_IGN);
    CHECK(tb_raise(SIGUSR1) == 0 && catches == 2, "SIG_IGN");
    tb_signal(SIGUSR1, SIG_DFL);
    RUN_TO_END(tb_raise(SIGUSR1));
    CHECK(world_end == KILLED && world_code == SIGUSR1, "SIG_DFL");
    CHECK(tb_raise(SIGCHLD) == 0 && tb_raise(SIGWINCH) == 0, "signals that are ignored by default");
    CHECK(tb_raise(0) == -1 && tb_raise(99) == -1 && tb_signal(SIGKILL, catch) == SIG_ERR, "invalid signals");
    RUN_TO_END(tb_kill(77, SIGTERM));
    CHECK(world_end == UNSUPPORTED, "kill of another process");

    sigset_t set, old;
    tb_sigemptyset(&set);
    CHECK(tb_sigaddset(&set, SIGUSR2) == 0 && tb_sigismember(&set, SIGUSR2) == 1 && tb_sigismember(&set, SIGINT) == 0,
          "sets");
    CHECK(tb_sigaddset(&set, 0) == -1 && tb_sigaddset(&set, 70) == -1, "invalid members");
    tb_signal(SIGUSR2, catch);
    catches = 0;
    CHECK(tb_sigprocmask(SIG_BLOCK, &set, &old) == 0 && tb_raise(SIGUSR2) == 0 && catches == 0, "a blocked signal");
    sigset_t waiting;
    CHECK(tb_sigpending(&waiting) == 0 && tb_sigismember(&waiting, SIGUSR2) == 1, "sigpending");
    CHECK(tb_sigprocmask(SIG_SETMASK, &old, NULL) == 0 && catches == 1, "an unblocked signal");
    CHECK(tb_sigprocmask(77, &old, NULL) == -1, "sigprocmask with an unknown operation");

    struct sigaction action = {.sa_handler = catch_and_raise}, before;
    CHECK(tb_sigaction(SIGUSR2, &action, &before) == 0 && before.sa_handler == catch, "sigaction");
    catches = 0;
    tb_raise(SIGUSR2);
    CHECK(catches == 3, "a handler that raises its signal runs %d times", catches);
    action = (struct sigaction){.sa_sigaction = catch_with_info, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    tb_sigaction(SIGUSR2, &action, NULL);
    tb_raise(SIGUSR2);
    CHECK(info_signal == SIGUSR2, "SA_SIGINFO");
    CHECK(tb_sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_handler == SIG_DFL, "SA_RESETHAND");
    tb_signal(SIGABRT, catch);
    catches = 0;
    RUN_TO_END(tb_abort());
    CHECK(world_end == KILLED && world_code == SIGABRT && catches == 1, "abort calls the handler");
    tb_signal(SIGABRT, SIG_DFL);
    sigset_t theirs;
    sigfillset(&theirs);
    tb_sigfillset(&set);
    CHECK(!memcmp(&theirs, &set, 8), "sigfillset");
    CHECK(tb_sigdelset(&set, SIGINT) == 0 && !tb_sigismember(&set, SIGINT), "sigdelset");
}

/* ---- getopt ---- */

static const struct option long_options[] = {
    {"alpha", no_argument, NULL, 'a'},        {"beta", required_argument, NULL, 'b'},
    {"bet", no_argument, NULL, 1001},         {"beryl", no_argument, NULL, 1002},
    {"gamma", optional_argument, NULL, 1003}, {"verbose", no_argument, NULL, 1004},
    {"verbosity", no_argument, NULL, 1004},   {NULL, 0, NULL, 0}};

/* glibc's messages, through a pipe-less stream: stderr is replaced while it runs. */
static char their_messages[4000];

static void run_getopt(int argc, char **argv, const char *options, int kind)
{
    char *a[20], *b[20];
    memcpy(a, argv, sizeof(char *) * ((size_t)argc + 1));
    memcpy(b, argv, sizeof(char *) * ((size_t)argc + 1));
    FILE *saved = stderr;
    memset(their_messages, 0, sizeof their_messages);
    stderr = fmemopen(their_messages, sizeof their_messages, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
    world_reset();
    optind = tb_optind = 0;
    for (int i = 0; i < 30; i++) {
        int index = -5, our_index = -5, x, y;
        if (kind == 0) {
            x = getopt(argc, a, options);
            y = tb_getopt(argc, b, options);
        } else if (kind == 1) {
            x = getopt_long(argc, a, options, long_options, &index);
            y = tb_getopt_long(argc, b, options, long_options, &our_index);
        } else {
            x = getopt_long_only(argc, a, options, long_options, &index);
            y = tb_getopt_long_only(argc, b, options, long_options, &our_index);
        }
        bool same = x == y && index == our_index && optind == tb_optind && optarg == tb_optarg && (x != '?' ||
            optopt == tb_optopt);
        if (!same || memcmp(a, b, sizeof(char *) * (size_t)argc)) {
            char text[300] = "";
            for (int k = 1; k < argc; k++)
                strcat(strcat(text, " "), argv[k]);
            CHECK(false, "getopt kind %d \"%s\" on%s: call %d gives %d (index %d, optind %d, optopt %d, optarg %s), glibc %d (%d, %d, %d, %s)", kind, options, text, i, y,
                  our_index, tb_optind, tb_optopt, tb_optarg ? tb_optarg : "-", x, index, optind, optopt,
                      optarg ? optarg : "-");
        } else {
            CHECK(true, " ");
        }
        if (x == -1)
            break;
    }
    fclose(stderr);
    stderr = saved;
    CHECK(!strcmp(their_messages, world.output), "getopt says \"%s\", glibc \"%s\"", world.output, their_messages);
}

static void options(void)
{
    static char *const words[] = {"-a", "-b", "-bx", "-ab", "-c", "-cval", "-x", "--", "-", "word", "other", "--alpha",
                                  "--alp", "--beta", "--beta=5", "--be",
                                  "--bet", "--bery", "--gamma", "--gamma=7", "--alpha=1", "--zeta", "-abx", "-alpha",
                                      "-beta", "-gamma=3", "-z", "-bet", "--verb", "-verb", "-xa"};
    static const char *const specifications[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "ab", "+:ab:"};
    unsetenv("POSIXLY_CORRECT");
    tb_environ = NULL;
    for (int i = times(30000); i > 0; i--) {
        char *argv[12] = {"prog"};
        int argc = 1 + (int)random_below(7);
        for (int k = 1; k < argc; k++)
            argv[k] = words[random_below(sizeof words / sizeof words[0])];
        argv[argc] = NULL;
        opterr = tb_opterr = random_below(6) != 0;
        run_getopt(argc, argv, specifications[random_below(6)], (int)random_below(3));
    }
    opterr = tb_opterr = 1;
}

/* ---- the rest ---- */

static void paths(void)
{
    static const char *const texts[] = {"", "/", "//", "///", "a", "a/", "/a", "/a/", "a/b", "a/b/", "/a/b", "/a//b//",
                                        "//a", "//a/b", "a//b", ".", "..", "/..", "a/.", "///a", "a///"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char x[32], y[32];
        strcpy(x, texts[i]), strcpy(y, texts[i]);
        CHECK(!strcmp(dirname(x), tb_dirname(y)), "dirname(\"%s\")", texts[i]);
        strcpy(x, texts[i]), strcpy(y, texts[i]);
        CHECK(!strcmp(__xpg_basename(x), tb___xpg_basename(y)), "__xpg_basename(\"%s\")", texts[i]);
    }
    CHECK(!strcmp(tb_basename("/a/b/"), "") && !strcmp(tb_basename("/a/bc"), "bc"), "the GNU basename");
    CHECK(tb_htonl(0x12345678) == 0x78563412 && tb_ntohs(0x1234) == 0x3412, "byte order");
}

static void messages(void)
{
    world_reset();
    *tb___errno_location() = ENOENT;
    tb_warn("cannot open %s", "x");
    CHECK(!strcmp(world.output, "program: cannot open x: No such file or directory\n"), "warn: %s", world.output);
    world_reset();
    tb_warnx("only %d", 5);
    CHECK(!strcmp(world.output, "program: only 5\n"), "warnx: %s", world.output);
    world_reset();
    *tb___errno_location() = EPERM;
    RUN_TO_END(tb_err(9, NULL));
    CHECK(world_end == EXITED && world_code == 9 && !strcmp(world.output, "program: Operation not permitted\n"),
          "err: %s", world.output);
    world_reset();
    tb_error(0, ENOENT, "file %d", 1);
    CHECK(!strcmp(world.output, "program: file 1: No such file or directory\n"), "error: %s", world.output);
}

static void process(void)
{
    world_reset();
    CHECK(tb_write(1, "abc", 3) == 3 && !strcmp(world.output, "abc") && tb_write(7, "x", 1) == -1 &&
          *tb___errno_location() == EBADF, "write");
    CHECK(tb_isatty(0) == 0 && *tb___errno_location() == ENOTTY && tb_isatty(9) == 0 &&
          *tb___errno_location() == EBADF, "isatty");
    CHECK(tb_sysconf(_SC_PAGESIZE) == 4096 && tb_sysconf(_SC_NPROCESSORS_ONLN) == 4 &&
          tb_sysconf(_SC_CLK_TCK) == 100 && tb_getpagesize() == 4096 && tb_get_nprocs() == 4, "sysconf");
    *tb___errno_location() = 0;
    CHECK(tb_sysconf(100000) == -1 && *tb___errno_location() == EINVAL, "sysconf of an unknown name");
    CHECK(!strcmp(tb_setlocale(LC_ALL, NULL), "C") && tb_setlocale(LC_ALL, "") && tb_setlocale(LC_NUMERIC, "POSIX") &&
          !tb_setlocale(LC_ALL, "de_DE.UTF-8") && !tb_setlocale(99, "C"), "setlocale");
    struct lconv *a = localeconv(), *b = tb_localeconv();
    CHECK(!strcmp(a->decimal_point, b->decimal_point) && !strcmp(a->grouping, b->grouping) &&
          a->frac_digits == b->frac_digits, "localeconv");
    static const nl_item items[] = {ABDAY_1, ABDAY_7, DAY_3, MON_1, MON_12, ABMON_5, AM_STR, PM_STR, D_T_FMT, D_FMT,
                                    T_FMT, T_FMT_AMPM, CODESET, RADIXCHAR, THOUSEP, YESEXPR, NOEXPR, CRNCYSTR, ERA};
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        CHECK(!strcmp(nl_langinfo(items[i]), tb_nl_langinfo(items[i])), "nl_langinfo(%x): \"%s\"", (unsigned)items[i],
              tb_nl_langinfo(items[i]));
}

void test_system(void)
{
    signals();
    options();
    paths();
    messages();
    process();
}
