// A hazard pointer is set after the object was read, and the reader does not look again: the object may be freed in
// between.
// expect: kind=use-after-free line=17 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { int value; };
static struct object *_Atomic shared, *_Atomic hazard;

static void *reader(void *u)
{
    struct object *seen = atomic_load(&shared);
    atomic_store(&hazard, seen);
    if (seen)
        assert(seen->value == 7);
    atomic_store(&hazard, NULL);
    return u;
}

int main(void)
{
    pthread_t t;
    struct object *object = malloc(sizeof *object);
    object->value = 7;
    atomic_store(&shared, object);
    pthread_create(&t, NULL, reader, NULL);
    atomic_store(&shared, NULL);
    while (atomic_load(&hazard) == object)
        ;
    free(object);
    pthread_join(t, NULL);
    return 0;
}
