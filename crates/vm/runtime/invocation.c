/* The name of the program for messages. start.c fills it in where anything refers to it and there is an argv[0]. */
char *program_invocation_name = (char *)"program", *program_invocation_short_name = (char *)"program";
extern char *__progname __attribute__((alias("program_invocation_short_name")));
extern char *__progname_full __attribute__((alias("program_invocation_name")));
