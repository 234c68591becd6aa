// A configuration is replaced while readers use the old one. The writer frees it when no reader is left that may have
// seen it.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config { int a, b; };
static struct config *_Atomic current;
static atomic_int readers;

static void *reader(void *u)
{
    atomic_fetch_add(&readers, 1);
    struct config *c = atomic_load(&current);
    assert(c->a == c->b);
    atomic_fetch_sub(&readers, 1);
    return u;
}

int main(void)
{
    pthread_t t;
    struct config *old = malloc(sizeof *old), *new = malloc(sizeof *new);
    *old = (struct config){1, 1};
    *new = (struct config){2, 2};
    atomic_store(&current, old);
    pthread_create(&t, NULL, reader, NULL);
    atomic_store(&current, new);
    while (atomic_load(&readers) != 0)
        ;
    free(old);
    pthread_join(t, NULL);
    free(new);
    return 0;
}
