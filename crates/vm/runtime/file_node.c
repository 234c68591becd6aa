/* The bytes of virtual files: those of the host's file until somebody writes, then a copy in memory. */
#include "tb_file.h"

static unsigned count;

struct tb_node *__tbi_node_new(enum tb_kind kind, const char *name, size_t size)
{
    size_t length = tb_strnlen(name, TB_PATH) + 1;
    if (size < sizeof(struct tb_node))
        size = sizeof(struct tb_node);
    struct tb_node *node = __tb_malloc(size + length, _Alignof(struct tb_node), TB_ZEROED);
    if (!node) {
        errno = ENOMEM;
        return NULL;
    }
    node->kind = kind;
    node->number = ++count;
    node->name = (char *)node + size;
    __tb_memcpy(node->name, name, length);
    return node;
}

void __tbi_node_release(struct tb_node *node)
{
    if (node->names || node->users)
        return;
    if (node->bytes)
        __tb_discard(node->bytes);
    __tb_discard(node);
}

size_t __tbi_node_read(struct tb_node *node, off_t at, void *to, size_t n)
{
    if (at < 0 || (size_t)at >= node->length)
        return 0;
    if (n > node->length - (size_t)at)
        n = node->length - (size_t)at;
    if (node->bytes)
        tb_copy(to, node->bytes + at, n);
    else if (n)
        __tb_host_read(node->name, (size_t)at, to, n);
    return n;
}

/* Bytes of its own, with room for so many. */
static bool make_room(struct tb_node *node, size_t needed)
{
    if (needed > TB_LARGEST_FILE)
        __tbi_refuse_file("a file of more than 16 MB", node->name);
    if (node->bytes && needed <= node->room)
        return true;
    size_t bigger = needed > 2 * node->length ? needed : 2 * node->length;
    if (bigger < 64)
        bigger = 64;
    char *bytes = __tb_malloc(bigger, 1, 0);
    if (!bytes)
        return false;
    if (node->bytes) {
        tb_copy(bytes, node->bytes, node->length);
        __tb_discard(node->bytes);
    } else if (node->length) {
        __tb_host_read(node->name, 0, bytes, node->length);
    }
    node->bytes = bytes;
    node->room = bigger;
    return true;
}

static void fill_up_to(struct tb_node *node, size_t end)
{
    if (end > node->length)
        __tb_memset(node->bytes + node->length, 0, end - node->length);
}

int __tbi_node_write(struct tb_node *node, off_t at, const void *from, size_t n)
{
    size_t end;
    if (n == 0)
        return 0;
    if (__builtin_add_overflow((size_t)at, n, &end))
        return EFBIG;
    if (!make_room(node, end))
        return ENOSPC;
    fill_up_to(node, (size_t)at);
    __tb_memcpy(node->bytes + at, from, n);
    if (end > node->length)
        node->length = end;
    return 0;
}

int __tbi_node_resize(struct tb_node *node, off_t length)
{
    if (length < 0)
        return EINVAL;
    if ((size_t)length == node->length)
        return 0;
    if (!make_room(node, (size_t)length))
        return ENOSPC;
    fill_up_to(node, (size_t)length);
    node->length = (size_t)length;
    return 0;
}
