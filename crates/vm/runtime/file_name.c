/* The names of virtual files: what the program has made, opened, removed and renamed. What is not here is as the machine
 * finds it on the host. The machine also says what a path means: relative to where it runs, without links. */
#include "tb_file.h"

#include <unistd.h>

struct tb_name *__tbi_names;

/* src/opened.rs knows this. */
_Static_assert(offsetof(struct tb_name, node) == 8 && offsetof(struct tb_name, path) == 16, "a name");
_Static_assert(!offsetof(struct tb_description, node) && !offsetof(struct tb_node, kind) && TB_PIPE == 5, "a description");

static struct tb_name *known(const char *path)
{
    for (struct tb_name *name = __tbi_names; name; name = name->next)
        if (!tb_strcmp(name->path, path))
            return name;
    return NULL;
}

static struct tb_name *add(const char *path)
{
    /* Not by a difference of pointers: the path, which is in a variable of the caller, would count as kept. */
    size_t length = tb_strnlen(path, TB_PATH) + 1;
    struct tb_name *name = __tb_malloc(sizeof *name + length, _Alignof(struct tb_name), TB_ZEROED), **at = &__tbi_names;
    if (!name)
        return NULL;
    __tb_memcpy(name->path, path, length);
    while (*at && tb_strcmp((*at)->path, path) < 0)
        at = &(*at)->next;
    name->next = *at;
    *at = name;
    return name;
}

static struct tb_node *take_name(struct tb_name *name, struct tb_node *node)
{
    struct tb_node *before = name->node;
    if (node)
        node->names++;
    name->node = node;
    if (before) {
        before->names--;
        __tbi_node_release(before);
    }
    return node;
}

/* The devices that every system has. */
static struct tb_node *device(const char *path)
{
    static struct tb_node *devices[6];
    static const struct {
        const char *path;
        enum tb_kind kind;
        int console;
    } known[] = {{"/dev/null", TB_NOTHING, 0},    {"/dev/zero", TB_ZEROS, 0},     {"/dev/urandom", TB_RANDOM, 0},
                 {"/dev/random", TB_RANDOM, 0},   {"/dev/stdout", TB_CONSOLE, 1}, {"/dev/stderr", TB_CONSOLE, 2}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!tb_strcmp(path, known[i].path)) {
            if (!devices[i] && (devices[i] = __tbi_node_new(known[i].kind, "", 0))) {
                devices[i]->names = 1;
                devices[i]->mode = S_IFCHR | 0666;
                devices[i]->access = R_OK | W_OK;
                devices[i]->console = known[i].console;
            }
            return devices[i];
        }
    return NULL;
}

_Noreturn void __tbi_refuse_file(const char *what, const char *path)
{
    char message[512];
    size_t length = tb_strlen(what), room = sizeof message - length - sizeof " (``)", named = tb_strlen(path);
    tb_copy(message, what, length + 1);
    if (named && named <= room) {
        tb_copy(message + length, " (`", 3);
        tb_copy(message + length + 3, path, named);
        tb_copy(message + length + 3 + named, "`)", 3);
    }
    __tb_unsupported(message);
}

/* A file of the host that is seen for the first time. */
static int of_host(struct tb_found *found)
{
    if (!S_ISREG(found->host.mode))
        return 0;
    if (found->host.size > TB_LARGEST_FILE)
        __tbi_refuse_file("a file of more than 16 MB", found->host.name);
    struct tb_node *node = __tbi_node_new(TB_REGULAR, found->host.name, 0);
    found->entry = node ? add(found->host.name) : NULL;
    if (!found->entry)
        return ENOMEM;
    node->mode = found->host.mode;
    node->length = found->host.size;
    node->access = found->host.access;
    found->node = take_name(found->entry, node);
    return 0;
}

int __tbi_find(const char *path, struct tb_found *found, bool *missing)
{
    found->entry = NULL;
    *missing = false;
    found->node = device(path);
    if (found->node)
        return 0;
    int error = __tb_host_file(path, &found->host);
    if (error && (error != ENOENT || !found->host.name[0]))
        return error;
    found->entry = known(found->host.name);
    if (found->entry && (!error || found->entry->node)) {
        found->node = found->entry->node;
        error = found->node ? 0 : ENOENT;
    } else if (!error) {
        return of_host(found);
    }
    *missing = error != 0;
    return error;
}

struct tb_node *__tbi_make(struct tb_found *found, mode_t mode)
{
    struct tb_node *node = __tbi_node_new(TB_REGULAR, "", 0);
    if (!found->entry)
        found->entry = add(found->host.name);
    if (!node || !found->entry)
        return NULL;
    node->mode = S_IFREG | mode;
    node->access = mode >> 6 & 7;
    return take_name(found->entry, node);
}

/* ---- remove, rename ---- */

/* A file that is about to lose or change its name. */
static int movable(const char *path, struct tb_found *found, const char *what)
{
    bool missing;
    int error = __tbi_find(path, found, &missing);
    if (error)
        return error;
    if (!found->entry || found->host.is_link)
        __tbi_refuse_file(what, path);
    return found->host.directory_access & W_OK ? 0 : EACCES;
}

static int unlink_file(const char *path)
{
    struct tb_found found;
    tb_enter(&__tbi_open_files);
    int error = movable(path, &found, "unlink of what is no file of its own, but a directory, a link or a device,");
    if (!error)
        take_name(found.entry, NULL);
    tb_leave(&__tbi_open_files);
    return error ? tb_failure(error) : 0;
}

int unlink(const char *path) { return unlink_file(path); }
int remove(const char *path) { return unlink_file(path); }

static int rename_locked(const char *from, const char *to)
{
    struct tb_found old, new;
    bool missing;
    int error = movable(from, &old, "rename of what is no file of its own, but a directory, a link or a device,");
    if (error)
        return error;
    error = __tbi_find(to, &new, &missing);
    if (error && !missing)
        return error;
    if (!error && S_ISDIR(new.host.mode) && !new.entry)
        return EISDIR;
    if ((!error && !new.entry) || new.host.is_link)
        __tbi_refuse_file("rename onto what is no file of its own, but a link or a device,", to);
    if (!(new.host.directory_access & W_OK))
        return EACCES;
    if (new.node == old.node)
        return 0;
    if (!new.entry && !(new.entry = add(new.host.name)))
        return ENOMEM;
    take_name(new.entry, old.node);
    take_name(old.entry, NULL);
    return 0;
}

int rename(const char *from, const char *to)
{
    tb_enter(&__tbi_open_files);
    int error = rename_locked(from, to);
    tb_leave(&__tbi_open_files);
    return error ? tb_failure(error) : 0;
}
