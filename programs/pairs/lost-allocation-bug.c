// Two threads make the shared table when they find none. When both find none, the second table takes the place of
// the first one, which nobody can free any more.
// expect: kind=leak line=14 exit=1 options=--leaks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) table;

static void *need_table(void *unused)
{
    (void)unused;
    if (!table) {
        int *fresh = calloc(16, sizeof *fresh);
        table = fresh;
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
