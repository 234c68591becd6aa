/* The malloc family over the machine's objects. Every allocation is an object of exactly the size that was asked for;
 * realloc always moves, so that a stale pointer into the old block is found even where glibc would grow in place. */
#include "tb_internal.h"

#include <malloc.h>
#include <stdlib.h>

#define MALLOC_ALIGN 16
#define PAGE 4096

INLINE void *allocate(size_t size, size_t align, int zeroed)
{
    void *p = size <= PTRDIFF_MAX ? __tb_malloc(size, align, zeroed) : NULL;
    if (!p)
        errno = ENOMEM;
    return p;
}

void *__tbi_alloc(size_t size) { return allocate(size, MALLOC_ALIGN, 0); }

void __tbi_free(void *p)
{
    if (p)
        __tb_free(p);
}

void *__tbi_realloc(void *p, size_t size)
{
    if (!p)
        return allocate(size, MALLOC_ALIGN, 0);
    size_t old = __tb_object_size(p);
    void *moved = size ? allocate(size, MALLOC_ALIGN, 0) : NULL;
    if (size && !moved)
        return NULL;
    if (moved)
        tb_copy(moved, p, old < size ? old : size);
    __tb_free(p);
    return moved;
}

void *malloc(size_t size) { return allocate(size, MALLOC_ALIGN, 0); }

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return allocate(bytes, MALLOC_ALIGN, 1);
}

void *realloc(void *p, size_t size) { return __tbi_realloc(p, size); }

void *reallocarray(void *p, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return __tbi_realloc(p, bytes);
}

void free(void *p) { __tbi_free(p); }

void cfree(void *p) { __tbi_free(p); }

/* glibc rounds an alignment up to a power of two and refuses only what cannot be rounded. */
INLINE void *allocate_aligned(size_t align, size_t size)
{
    if (align > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    size_t rounded = MALLOC_ALIGN;
    while (rounded < align)
        rounded *= 2;
    return allocate(size, rounded, 0);
}

void *memalign(size_t align, size_t size) { return allocate_aligned(align, size); }

void *aligned_alloc(size_t align, size_t size) { return allocate_aligned(align, size); }

int posix_memalign(void **to, size_t align, size_t size)
{
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return EINVAL;
    int saved = errno;
    void *p = allocate_aligned(align, size);
    errno = saved;
    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}

void *valloc(size_t size) { return allocate(size, PAGE, 0); }

void *pvalloc(size_t size)
{
    size_t pages = size / PAGE + (size % PAGE != 0);
    return allocate(pages > SIZE_MAX / PAGE ? SIZE_MAX : pages * PAGE, PAGE, 0);
}

size_t malloc_usable_size(void *p) { return p ? __tb_object_size(p) : 0; }

int malloc_trim(size_t pad)
{
    (void)pad;
    return 0;
}

int mallopt(int parameter, int value)
{
    (void)parameter;
    (void)value;
    return 1;
}
