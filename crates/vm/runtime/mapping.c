/* Anonymous memory by mmap: a block of the heap. Nothing can be mapped over it, and it goes as a whole. */
#include "tb_internal.h"

#include <sys/mman.h>

#define PAGE 4096

static void *map(size_t size, int protection, int flags)
{
    if (!(flags & MAP_ANONYMOUS))
        __tb_unsupported("mmap of a file");
    if (flags & MAP_FIXED)
        __tb_unsupported("mmap with MAP_FIXED");
    if ((protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE) || (protection & PROT_EXEC))
        __tb_unsupported("mmap of memory that is not just read and written");
    if (size == 0 || size > PTRDIFF_MAX) {
        errno = size ? ENOMEM : EINVAL;
        return MAP_FAILED;
    }
    void *block = __tb_malloc((size + PAGE - 1) / PAGE * PAGE, PAGE, TB_ZEROED);
    if (!block) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return block;
}

void *mmap(void *hint, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)hint, (void)fd, (void)offset;
    return map(size, protection, flags);
}

void *mmap64(void *hint, size_t size, int protection, int flags, int fd, off_t offset)
{
    (void)hint, (void)fd, (void)offset;
    return map(size, protection, flags);
}

int munmap(void *block, size_t size)
{
    if (!block || (uintptr_t)block % PAGE || size == 0) {
        errno = EINVAL;
        return -1;
    }
    if (__tb_object_size(block) != (size + PAGE - 1) / PAGE * PAGE)
        __tb_unsupported("munmap of a part of what was mapped");
    __tb_free(block);
    return 0;
}
