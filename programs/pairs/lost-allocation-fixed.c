// Two threads make the shared table when they find none. It is put in its place with a compare-exchange, and who
// comes second frees its own.
// expect: proved options=--leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) table;

static void *need_table(void *unused)
{
    (void)unused;
    if (!table) {
        int *fresh = calloc(16, sizeof *fresh);
        int *none = NULL;
        if (!atomic_compare_exchange_strong(&table, &none, fresh))
            free(fresh);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, need_table, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(table);
    return 0;
}
