// Whoever lets go last frees the table, and nothing orders that with how the other one has used it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry { int key, value; };
static struct entry *table;
static atomic_int users = 2;

static void *look_up(void *p)
{
    int found = table[2].value;
    if (atomic_fetch_sub_explicit(&users, 1, memory_order_release) == 1)
        free(table);
    return found ? p : NULL;
}

int main(void)
{
    pthread_t s, t;
    table = calloc(4, sizeof *table);
    pthread_create(&s, NULL, look_up, NULL);
    pthread_create(&t, NULL, look_up, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
