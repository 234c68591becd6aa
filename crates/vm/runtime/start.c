/* The first function of the program: constructors, main, exit. */
#include "tb_runtime.h"

#include <stdlib.h>

extern char **environ;
/* Weak: a program that does not use them goes without invocation.c. */
extern char *program_invocation_name __attribute__((weak)), *program_invocation_short_name __attribute__((weak));
/* The machine makes these: pointers to all constructors and destructors in order, and null. */
extern void (*const __tb_array_init[])(int, char **, char **);
extern void (*const __tb_array_fini[])(void);

int main(int argc, char **argv, char **envp);

static void run_destructors(void) {
    for (int i = 0; __tb_array_fini[i]; i++)
        __tb_array_fini[i]();
}

static void set_name(char *name) {
    program_invocation_name = program_invocation_short_name = name;
    for (char *p = name; *p; p++)
        if (*p == '/')
            program_invocation_short_name = p + 1;
}

_Noreturn void __tb_start(int argc, char **argv, char **envp) {
    environ = envp;
    if (&program_invocation_name && argv[0])
        set_name(argv[0]);
    if (__tb_array_fini[0])
        atexit(run_destructors);
    for (int i = 0; __tb_array_init[i]; i++)
        __tb_array_init[i](argc, argv, envp);
    exit(main(argc, argv, envp));
}
