// A vector grows under a lock, but a reader keeps a pointer into it.
// expect: kind=use-after-free line=14 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *items, count = 1, room = 1;

static void *grow(void *u)
{
    pthread_mutex_lock(&lock);
    if (count == room)
        items = realloc(items, ++room * sizeof *items);
    items[count++] = 2;
    pthread_mutex_unlock(&lock);
    return u;
}

static void *look(void *u)
{
    pthread_mutex_lock(&lock);
    int *first = &items[0];
    pthread_mutex_unlock(&lock);
    assert(*first == 1);
    return u;
}

int main(void)
{
    pthread_t s, t;
    items = malloc(sizeof *items);
    items[0] = 1;
    pthread_create(&s, NULL, grow, NULL);
    pthread_create(&t, NULL, look, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    free(items);
    return 0;
}
