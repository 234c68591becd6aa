/* The runtime against glibc. Every public symbol of the runtime is renamed to tb_<name> (run.sh), so that both libraries
 * live in one process: a test calls the two with the same arguments and compares what they did. */
#ifndef HARNESS_H
#define HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declares the runtime's function of that name, with the type that the system's header gives it. */
#define OURS(name) extern __typeof__(name) tb_##name

/* The sanitizers put functions of their own before some of glibc's, which do not quite the same. */
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer))

/* One check. Only the first failures of a suite are printed. */
#define CHECK(condition, ...) check(condition, __FILE__, __LINE__, __VA_ARGS__)
void check(bool passed, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Random numbers from a fixed seed (SEED in the environment changes it). */
uint64_t random_bits(void);
unsigned random_below(unsigned n);
/* A value near the limits that matter: small, a power of two give or take one, or anything. */
uint64_t random_interesting(void);
double random_double(void);
long double random_long_double(void);
/* How often to repeat, by a factor that run.sh sets: `n` in the default run. */
int times(int n);

/* The outside world of the runtime (world.c). */
struct world {
    char output[1 << 16];
    size_t output_length;
    int output_fd;
    int writes;
    const char *input;
    size_t input_length;
    size_t read_block; /* at most so many bytes in one read; 0: no limit */
    uint64_t now;
    int hidden; /* calls of __tb_hidden_state */
    size_t memory_left;
    size_t live; /* objects */
};
extern struct world world;
void world_reset(void);
void world_input(const char *text);

/* How the runtime ended the program, from a call that was wrapped in ENDS_WITH. */
enum end { RETURNED, EXITED, KILLED, ASSERTED, UNSUPPORTED };
extern enum end world_end;
extern int world_code;
extern const char *world_what;
extern jmp_buf world_jump;
#define RUN_TO_END(call) (world_end = RETURNED, setjmp(world_jump) ? (void)0 : (void)(call))

/* The suites, one a file. */
void test_printf(void);
void test_strto(void);
void test_scanf(void);
void test_string(void);
void test_ctype(void);
void test_stdlib(void);
void test_sort(void);
void test_rand(void);
void test_stdio(void);
void test_time(void);
void test_system(void);
void test_wide(void);
void test_file(void);

#endif
