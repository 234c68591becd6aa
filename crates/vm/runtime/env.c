/* The environment. The machine stores the initial one in `environ` before main. getenv and setenv in different threads
 * race in glibc as well, so the accesses are plain and the race is seen. */
#include "tb_internal.h"

#include <stdlib.h>
#include <unistd.h>

char **environ;
extern char **__environ __attribute__((alias("environ")));
extern char **_environ __attribute__((alias("environ")));

/* The array that setenv allocated last: only that one may be freed. */
static char **owned;

/* What setenv made. A pointer from getenv stays valid when the value is replaced, so the entries live on; the chain
 * keeps them reachable: they are no leaks of the program. */
struct made {
    struct made *previous;
    char entry[];
};
static struct made *last_made;

/* The index of NAME=… for the first `length` bytes of name, or that of the final NULL. */
static size_t find(const char *name, size_t length)
{
    size_t i = 0;
    for (; environ && environ[i]; i++) {
        size_t n = 0;
        while (n < length && environ[i][n] == name[n])
            n++;
        if (n == length && environ[i][n] == '=')
            break;
    }
    return i;
}

char *__tbi_getenv(const char *name)
{
    size_t length = tb_strlen(name);
    if (!environ || !length)
        return NULL;
    char *entry = environ[find(name, length)];
    return entry ? entry + length + 1 : NULL;
}

char *getenv(const char *name) { return __tbi_getenv(name); }

char *secure_getenv(const char *name) { return __tbi_getenv(name); }

/* Puts the entry where its name is already, or at the end of an array that is one longer. */
static int put(char *entry, size_t length)
{
    size_t at = find(entry, length);
    if (environ && environ[at]) {
        environ[at] = entry;
        return 0;
    }
    char **longer = __tbi_alloc((at + 2) * sizeof *longer);
    if (!longer)
        return -1;
    tb_copy(longer, environ, at * sizeof *longer);
    longer[at] = entry;
    longer[at + 1] = NULL;
    if (owned && owned == environ)
        __tb_free(owned);
    environ = owned = longer;
    return 0;
}

static bool valid_name(const char *name)
{
    if (!name || !*name)
        return false;
    for (; *name; name++)
        if (*name == '=')
            return false;
    return true;
}

int setenv(const char *name, const char *value, int overwrite)
{
    if (!valid_name(name)) {
        errno = EINVAL;
        return -1;
    }
    size_t length = tb_strlen(name), value_length = tb_strlen(value);
    if (!overwrite && environ && environ[find(name, length)])
        return 0;
    struct made *made = __tbi_alloc(sizeof *made + length + value_length + 2);
    if (!made)
        return -1;
    made->previous = last_made;
    last_made = made;
    __tb_memcpy(made->entry, name, length);
    made->entry[length] = '=';
    __tb_memcpy(made->entry + length + 1, value, value_length + 1);
    return put(made->entry, length);
}

static void take_out(const char *name)
{
    size_t length = tb_strlen(name), at;
    while (environ && environ[at = find(name, length)])
        do
            environ[at] = environ[at + 1];
        while (environ[at++]);
}

int unsetenv(const char *name)
{
    if (!valid_name(name)) {
        errno = EINVAL;
        return -1;
    }
    take_out(name);
    return 0;
}

int putenv(char *entry)
{
    size_t length = 0;
    while (entry[length] && entry[length] != '=')
        length++;
    if (!entry[length]) {
        take_out(entry);
        return 0;
    }
    return put(entry, length);
}

int clearenv(void)
{
    if (owned && owned == environ)
        __tb_free(owned);
    environ = owned = NULL;
    return 0;
}
