/* The hash tables of <search.h>: open addressing in a table that never grows and from which nothing is taken out. */
#include "tb_internal.h"

#include <search.h>

/* The header's name for the table's elements, which it leaves to us. */
typedef struct _ENTRY {
    ENTRY entry;
    bool used;
} element;

static struct hsearch_data the_table;

/* A failure that the program can only see in errno. */
static int refuse(int error)
{
    errno = error;
    return 0;
}

int hcreate_r(size_t wanted, struct hsearch_data *table)
{
    if (!table)
        return refuse(EINVAL);
    if (table->table)
        return 0;
    if (wanted >= UINT_MAX / sizeof(element))
        return refuse(ENOMEM);
    /* As many elements as were asked for fit; a few more keep the searches short. */
    unsigned size = (unsigned)wanted + (unsigned)wanted / 4 + 3;
    element *elements = __tbi_alloc(size * sizeof(element));
    if (!elements)
        return 0;
    __tb_memset(elements, 0, size * sizeof(element));
    table->table = elements;
    table->size = size;
    table->filled = 0;
    return 1;
}

void hdestroy_r(struct hsearch_data *table)
{
    if (!table) {
        errno = EINVAL;
        return;
    }
    element *elements = table->table;
    table->table = NULL;
    __tbi_free(elements);
}

static unsigned hash(const char *key)
{
    unsigned value = 2166136261u;
    for (; *key; key++)
        value = (value ^ (unsigned char)*key) * 16777619u;
    return value;
}

int hsearch_r(ENTRY item, ACTION action, ENTRY **result, struct hsearch_data *table)
{
    element *elements = table->table;
    unsigned size = table->size, at = hash(item.key) % size;
    for (unsigned tried = 0; tried < size; tried++, at = at + 1 == size ? 0 : at + 1) {
        element *element = &elements[at];
        if (!element->used) {
            if (action != ENTER)
                break;
            element->used = true;
            element->entry = item;
            table->filled++;
            *result = &element->entry;
            return 1;
        }
        if (tb_strcmp(item.key, element->entry.key) == 0) {
            *result = &element->entry;
            return 1;
        }
    }
    *result = NULL;
    return refuse(action == ENTER ? ENOMEM : ESRCH);
}

/* Not thread-safe by the standard: a race on the one table is the program's, and is to be seen. */
int hcreate(size_t wanted) { return hcreate_r(wanted, &the_table); }

void hdestroy(void) { hdestroy_r(&the_table); }

ENTRY *hsearch(ENTRY item, ACTION action)
{
    ENTRY *result;
    hsearch_r(item, action, &result, &the_table);
    return result;
}
