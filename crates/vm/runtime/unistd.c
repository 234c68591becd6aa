/* What <unistd.h> and its neighbours say of the process and the system: constants, so that every execution can be
 * repeated. */
#include "tb_internal.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#define PAGE 4096
#define MEMORY_PAGES (1L << 20)

static int refuse(int error)
{
    errno = error;
    return -1;
}

pid_t getpid(void) { return TB_PROCESS; }
pid_t getppid(void) { return 1; }
pid_t getpgrp(void) { return TB_PROCESS; }
pid_t getsid(pid_t process) { return process == 0 || process == TB_PROCESS ? TB_PROCESS : refuse(ESRCH); }
pid_t getpgid(pid_t process) { return process == 0 || process == TB_PROCESS ? TB_PROCESS : refuse(ESRCH); }
uid_t getuid(void) { return TB_USER; }
uid_t geteuid(void) { return TB_USER; }
gid_t getgid(void) { return TB_USER; }
gid_t getegid(void) { return TB_USER; }

struct tb_description;
__attribute__((weak)) struct tb_description *__tbi_description(int fd); /* file_table.c */

int isatty(int fd)
{
    bool open = (fd >= 0 && fd <= 2) || (__tbi_description && __tbi_description(fd));
    errno = open ? ENOTTY : EBADF;
    return 0;
}

int getpagesize(void) { return PAGE; }
int getdtablesize(void) { return 1024; }
int get_nprocs(void) { return TB_PROCESSORS; }
int get_nprocs_conf(void) { return TB_PROCESSORS; }
long get_phys_pages(void) { return MEMORY_PAGES; }
long get_avphys_pages(void) { return MEMORY_PAGES / 2; }
long gethostid(void) { return 0; }

static int host_name(char *to, size_t size)
{
    static const char name[] = "threadbare";
    tb_copy(to, name, size < sizeof name ? size : sizeof name);
    return size < sizeof name ? refuse(ENAMETOOLONG) : 0;
}

int gethostname(char *to, size_t size) { return host_name(to, size); }

int __gethostname_chk(char *to, size_t size, size_t object)
{
    if (size > object)
        __tbi_overflow_detected();
    return host_name(to, size);
}

long sysconf(int name)
{
    switch (name) {
    case _SC_ARG_MAX:
        return 2097152;
    case _SC_CHILD_MAX:
    case _SC_SIGQUEUE_MAX:
        return 4096;
    case _SC_CLK_TCK:
        return 100;
    case _SC_NGROUPS_MAX:
        return 65536;
    case _SC_OPEN_MAX:
    case _SC_IOV_MAX:
    case _SC_GETPW_R_SIZE_MAX:
    case _SC_GETGR_R_SIZE_MAX:
    case _SC_THREAD_KEYS_MAX:
        return 1024;
    case _SC_STREAM_MAX:
        return 16;
    case _SC_TZNAME_MAX:
        return 6;
    case _SC_JOB_CONTROL:
    case _SC_SAVED_IDS:
        return 1;
    case _SC_PAGESIZE:
        return PAGE;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return TB_PROCESSORS;
    case _SC_PHYS_PAGES:
        return MEMORY_PAGES;
    case _SC_AVPHYS_PAGES:
        return MEMORY_PAGES / 2;
    case _SC_VERSION:
    case _SC_2_VERSION:
    case _SC_THREADS:
    case _SC_THREAD_SAFE_FUNCTIONS:
    case _SC_THREAD_ATTR_STACKADDR:
    case _SC_THREAD_ATTR_STACKSIZE:
    case _SC_THREAD_PROCESS_SHARED:
    case _SC_SEMAPHORES:
    case _SC_TIMEOUTS:
    case _SC_MONOTONIC_CLOCK:
    case _SC_CLOCK_SELECTION:
    case _SC_BARRIERS:
    case _SC_SPIN_LOCKS:
    case _SC_READER_WRITER_LOCKS:
        return 200809;
    case _SC_RTSIG_MAX:
        return 32;
    case _SC_SEM_VALUE_MAX:
    case _SC_DELAYTIMER_MAX:
        return INT_MAX;
    case _SC_SEM_NSEMS_MAX:
    case _SC_THREAD_THREADS_MAX:
    case _SC_TIMER_MAX:
        return -1; /* no limit: errno stays */
    case _SC_THREAD_DESTRUCTOR_ITERATIONS:
        return 4;
    case _SC_THREAD_STACK_MIN:
        return 16384;
    case _SC_HOST_NAME_MAX:
        return 64;
    case _SC_LINE_MAX:
        return 2048;
    case _SC_LOGIN_NAME_MAX:
        return 256;
    case _SC_TTY_NAME_MAX:
        return 32;
    case _SC_ATEXIT_MAX:
        return INT_MAX;
    case _SC_LEVEL1_DCACHE_LINESIZE:
    case _SC_LEVEL1_ICACHE_LINESIZE:
    case _SC_LEVEL2_CACHE_LINESIZE:
    case _SC_LEVEL3_CACHE_LINESIZE:
        return 64;
    default:
        return refuse(EINVAL);
    }
}
