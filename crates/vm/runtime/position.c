/* Positions in streams: those that the program has opened have one. */
#include "tb_internal.h"

static void need_position(const FILE *file, const char *name)
{
    if (!tb_is_own(file))
        __tb_unsupported(name);
}

static off_t tell(FILE *file, const char *name)
{
    need_position(file, name);
    tb_lock_own(file);
    off_t position = TB_OWN(tell, file, file);
    tb_unlock_own(file);
    return position;
}

static int seek(FILE *file, off_t offset, int whence, const char *name)
{
    need_position(file, name);
    tb_may_be_cancelled_in(file);
    tb_lock_own(file);
    int result = TB_OWN(seek, file, file, offset, whence);
    tb_unlock_own(file);
    return result;
}

int fseek(FILE *file, long offset, int whence) { return seek(file, offset, whence, "fseek"); }
int fseeko(FILE *file, off_t offset, int whence) { return seek(file, offset, whence, "fseeko"); }
int fseeko64(FILE *file, off_t offset, int whence) { return seek(file, offset, whence, "fseeko"); }
long ftell(FILE *file) { return tell(file, "ftell"); }
off_t ftello(FILE *file) { return tell(file, "ftello"); }
off_t ftello64(FILE *file) { return tell(file, "ftello"); }

void rewind(FILE *file)
{
    need_position(file, "rewind");
    tb_lock_own(file);
    TB_OWN(seek, file, file, 0, SEEK_SET);
    file->_flags &= ~_IO_ERR_SEEN;
    tb_unlock_own(file);
}

static int get_position(FILE *file, off_t *to)
{
    off_t position = tell(file, "fgetpos");
    if (position < 0)
        return -1;
    *to = position;
    return 0;
}

int fgetpos(FILE *restrict file, fpos_t *restrict to) { return get_position(file, &to->__pos); }
int fgetpos64(FILE *restrict file, fpos64_t *restrict to) { return get_position(file, &to->__pos); }
int fsetpos(FILE *file, const fpos_t *to) { return seek(file, to->__pos, SEEK_SET, "fsetpos"); }
int fsetpos64(FILE *file, const fpos64_t *to) { return seek(file, to->__pos, SEEK_SET, "fsetpos"); }
