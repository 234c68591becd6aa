/* Temporary files. Their names are the same in every execution. */
#include "tb_file.h"

#include <stdlib.h>

static FILE *temporary_stream(void)
{
    tb_may_be_cancelled();
    tb_enter(&__tbi_open_files);
    struct tb_node *node = __tbi_node_new(TB_REGULAR, "", 0);
    if (node)
        node->mode = S_IFREG | 0600;
    int fd = node ? __tbi_describe(node, O_RDWR) : -1;
    tb_leave(&__tbi_open_files);
    return fd < 0 ? NULL : __tbi_stream_of(fd, "w+");
}

FILE *tmpfile(void) { return temporary_stream(); }
FILE *tmpfile64(void) { return temporary_stream(); }

/* The first name that is free: aaaaaa, baaaaa … */
static int make_temporary(char *template, int suffix, int flags)
{
    size_t length = tb_strlen(template);
    if (suffix < 0 || length < 6 + (size_t)suffix)
        return tb_failure(EINVAL);
    char *letters = template + length - (size_t)suffix - 6;
    for (int i = 0; i < 6; i++)
        if (letters[i] != 'X')
            return tb_failure(EINVAL);
    for (unsigned number = 0; number < 26 * 26 * 26; number++) {
        for (unsigned i = 0, rest = number; i < 6; i++, rest /= 26)
            letters[i] = (char)('a' + rest % 26);
        int fd = __tbi_open(template, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return tb_failure(EEXIST);
}

int mkstemp(char *template) { return make_temporary(template, 0, 0); }
int mkstemp64(char *template) { return make_temporary(template, 0, 0); }
int mkostemp(char *template, int flags) { return make_temporary(template, 0, flags & ~O_ACCMODE); }
int mkostemp64(char *template, int flags) { return make_temporary(template, 0, flags & ~O_ACCMODE); }
int mkstemps(char *template, int suffix) { return make_temporary(template, suffix, 0); }
int mkstemps64(char *template, int suffix) { return make_temporary(template, suffix, 0); }
