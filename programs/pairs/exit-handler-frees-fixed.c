// The main thread joins the worker before the exit handler frees its table.
// expect: proved
#include <pthread.h>
#include <stdlib.h>

static int *table;
static void tidy(void) { free(table); }
static void *worker(void *u) { table[0] = 1; return u; }

int main(void)
{
    pthread_t t;
    table = calloc(4, sizeof *table);
    atexit(tidy);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
