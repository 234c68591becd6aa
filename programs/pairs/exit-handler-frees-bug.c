// An exit handler frees the table that a detached thread still uses.
// expect: kind=use-after-free line=8 exit=1
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
    pthread_detach(t);
    return 0;
}
