/* <libgen.h>, the byte orders of <arpa/inet.h>, and the version: small functions that stand alone. */
#include "tb_internal.h"

#include <arpa/inet.h>
#include <gnu/libc-version.h>

/* The GNU function: what follows the last slash, which may be nothing. */
char *gnu_basename(const char *path) __asm__("basename");
char *gnu_basename(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return (char *)name;
}

/* The POSIX function, `basename` with <libgen.h>: trailing slashes do not count, and are cut off. */
char *__xpg_basename(char *path)
{
    if (!path || !*path)
        return (char *)".";
    size_t end = tb_strlen(path);
    while (end > 1 && path[end - 1] == '/')
        path[--end] = 0;
    if (end == 1 && path[0] == '/')
        return path;
    while (end > 0 && path[end - 1] != '/')
        end--;
    return path + end;
}

char *dirname(char *path)
{
    if (!path)
        return (char *)".";
    size_t end = tb_strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    if (end == 0)
        return (char *)".";
    while (end > 1 && path[end - 1] == '/')
        end--;
    /* POSIX leaves it open what exactly two leading slashes mean; glibc keeps them. */
    if (end == 1 && path[0] == '/' && path[1] == '/' && path[2] != '/')
        end = 2;
    path[end] = 0;
    return path;
}

uint32_t(htonl)(uint32_t n) { return __builtin_bswap32(n); }
uint32_t(ntohl)(uint32_t n) { return __builtin_bswap32(n); }
uint16_t(htons)(uint16_t n) { return __builtin_bswap16(n); }
uint16_t(ntohs)(uint16_t n) { return __builtin_bswap16(n); }

const char *gnu_get_libc_version(void) { return "2.36"; }
const char *gnu_get_libc_release(void) { return "stable"; }
