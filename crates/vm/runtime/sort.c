/* qsort, bsearch and the linear searches. qsort is a merge sort, as in glibc 2.36: stable, and with the same
 * comparisons in the same order, because programs do observe both. */
#include "tb_internal.h"

#include <search.h>
#include <stdlib.h>

typedef int (*comparison)(const void *, const void *, void *);

struct sort {
    size_t size;
    size_t word; /* 4 or 8 if elements are aligned words of that size, else 0 */
    comparison compare;
    void *argument;
    char *scratch;
};

/* Most arrays hold words. A load and a store carry "initialised" bits as the primitive does, and are cheaper. */
INLINE void move(const struct sort *sort, char *to, const char *from)
{
    if (sort->word == 4)
        *(uint32_t *)to = *(const uint32_t *)from;
    else if (sort->word == 8)
        *(uint64_t *)to = *(const uint64_t *)from;
    else
        __tb_memcpy(to, from, sort->size);
}

/* Merges the sorted halves of n elements at `base` (the first has `left`) into the scratch space and copies back what
 * that moved: the rest of the second half is in place already. */
static void merge(const struct sort *sort, char *base, size_t left, size_t n)
{
    size_t size = sort->size;
    char *a = base, *b = base + left * size, *a_end = b, *b_end = base + n * size, *to = sort->scratch;
    while (a != a_end && b != b_end) {
        if (sort->compare(a, b, sort->argument) <= 0) {
            move(sort, to, a);
            a += size;
        } else {
            move(sort, to, b);
            b += size;
        }
        to += size;
    }
    size_t rest = (size_t)(a_end - a);
    if (rest)
        __tb_memmove(b_end - rest, a, rest);
    tb_copy(base, sort->scratch, (size_t)(to - sort->scratch));
}

/* The depth is the logarithm of n. */
static void merge_sort(const struct sort *sort, char *base, size_t n)
{
    if (n < 2)
        return;
    size_t left = n / 2;
    merge_sort(sort, base, left);
    merge_sort(sort, base + left * sort->size, n - left);
    merge(sort, base, left, n);
}

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Without memory for the scratch space: in place, and slowly. */
static void insertion_sort(const struct sort *sort, char *base, size_t n)
{
    size_t size = sort->size;
    for (size_t i = 1; i < n; i++)
        for (char *p = base + i * size; p != base && sort->compare(p - size, p, sort->argument) > 0; p -= size)
            swap(p - size, p, size);
}

/* Up to this size the scratch space is on the stack: freeing memory would be a visible operation. */
#define MAX_LOCAL 65536

static void sort_large(struct sort *sort, char *base, size_t n)
{
    sort->scratch = n <= PTRDIFF_MAX / sort->size ? __tb_malloc(n * sort->size, 16, 0) : NULL;
    if (!sort->scratch) {
        insertion_sort(sort, base, n);
        return;
    }
    merge_sort(sort, base, n);
    __tb_free(sort->scratch);
}

INLINE void sort_all(void *base, size_t n, size_t size, comparison compare, void *argument)
{
    bool words = (size == 4 || size == 8) && (uintptr_t)base % size == 0;
    struct sort sort = {size, words ? size : 0, compare, argument, NULL};
    if (n < 2 || size == 0)
        return;
    if (n > MAX_LOCAL / size) {
        sort_large(&sort, base, n);
        return;
    }
    uint64_t local[(n * size + 7) / 8];
    sort.scratch = (char *)local;
    merge_sort(&sort, base, n);
}

void qsort_r(void *base, size_t n, size_t size, comparison compare, void *argument)
{
    sort_all(base, n, size, compare, argument);
}

/* A comparison without an argument is called through this one, never through a pointer of the wrong type. */
static int without_argument(const void *a, const void *b, void *compare)
{
    return (*(int (**)(const void *, const void *))compare)(a, b);
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    sort_all(base, n, size, without_argument, &compare);
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *p = (const char *)base + middle * size;
        int order = compare(key, p);
        if (order == 0)
            return (void *)p;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *lfind(const void *key, const void *base, size_t *n, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < *n; i++)
        if (compare(key, (const char *)base + i * size) == 0)
            return (char *)base + i * size;
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *n, size_t size, int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < *n; i++)
        if (compare(key, (const char *)base + i * size) == 0)
            return (char *)base + i * size;
    void *added = (char *)base + *n * size;
    tb_copy(added, key, size);
    ++*n;
    return added;
}
