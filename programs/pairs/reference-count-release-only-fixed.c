// The last one who lets go frees the object. It has acquired what the others released.
// expect: proved
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { atomic_int users; int last; };
static struct object *object;

static void drop(void)
{
    int before = atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel);
    if (before == 1)
        free(object);
}

static void *user(void *u) { int seen = object->last; drop(); return seen ? u : NULL; }

int main(void)
{
    pthread_t s, t;
    object = malloc(sizeof *object);
    object->users = 2;
    object->last = 0;
    pthread_create(&s, NULL, user, NULL);
    pthread_create(&t, NULL, user, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
