/* What the virtual machine itself provides to the C runtime that is compiled with every program.
 *
 * The runtime is C so that its accesses to the program's memory are checked like the program's own. These primitives
 * are the floor it stands on: the machine knows them by name. None of them is declared to the program under test. */
#ifndef TB_RUNTIME_H
#define TB_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Memory. A fresh object is uninitialised unless `how` says that it is zeroed; NULL when the machine's memory limit is
 * reached. An own block goes from one thread to another, in order, and nobody else can reach it.
 * `__tb_free` takes no NULL and reports double and invalid frees itself. */
#define TB_ZEROED 1
#define TB_OWN_BLOCK 2
void *__tb_malloc(size_t size, size_t align, int how);
void __tb_free(void *p);
/* The same for a block of the runtime's own that nobody else has heard of: no visible operation. */
void __tb_discard(void *p);
/* Size of the live heap object that starts at p (anything else is reported as an invalid pointer). */
size_t __tb_object_size(const void *p);

/* Ranges, checked and copied at once, with their "initialised" bits. memmove semantics where they overlap. */
void __tb_memcpy(void *to, const void *from, size_t n);
void __tb_memmove(void *to, const void *from, size_t n);
void __tb_memset(void *to, int byte, size_t n);

/* The outside. `fd` is 0, 1 or 2; the result is the number of bytes, 0 at the end of the input. */
long __tb_write(int fd, const void *from, size_t n);
long __tb_read(int fd, void *to, size_t n);

/* Files of the host, as they were when the search first asked for them. A path is relative to where the machine runs; the
 * name is the path without links and detours. 0, or an errno value; where there is no such file, but one could be made,
 * that is ENOENT, and the name and what is said of its directory hold. */
#define TB_PATH 4096
struct tb_host_file {
    uint64_t size;
    uint32_t mode;                     /* as in struct stat */
    uint32_t access, directory_access; /* R_OK | W_OK | X_OK of the file, and of the directory it is in */
    uint32_t is_link;                  /* the path's last part is one */
    char name[TB_PATH];
};
int __tb_host_file(const char *path, struct tb_host_file *to);
/* Bytes of a regular file of that name, which has so many. */
void __tb_host_read(const char *name, size_t offset, void *to, size_t n);

/* Ends. `__tb_exit` ends the process at once: exit() has run the handlers before. */
_Noreturn void __tb_exit(int status);
_Noreturn void __tb_signal_death(int signal);
_Noreturn void __tb_assert_fail(const char *expression, const char *file, unsigned line, const char *function);
/* The program uses something of this name that the machine does not support: refused with its source line. */
_Noreturn void __tb_unsupported(const char *what);

/* The program gives a function that is to be called later, with so many integers or pointers: one that cannot be called so
 * is its error, and here is its line. */
void __tb_need_function(void (*function)(void), int arguments);

/* Virtual time in nanoseconds since the start. It moves when a thread sleeps; besides, in a search looking at it may find
 * that a day has passed, and elsewhere takes a microsecond. */
uint64_t __tb_clock(void);
void __tb_sleep(uint64_t nanoseconds);
/* Until so long after the start, if that is not past. */
void __tb_sleep_until(uint64_t nanoseconds);

/* A visible operation on hidden library state (rand, strtok, stdin …): call it once, with the address of the static
 * object that holds the state, before a function that the C standard calls thread-safe touches that state. The accesses
 * up to the next visible operation then belong to one indivisible step. Not for functions that may race by the
 * standard (strtok, asctime …): there the plain accesses are what must be seen. */
void __tb_hidden_state(const void *object);

#endif
