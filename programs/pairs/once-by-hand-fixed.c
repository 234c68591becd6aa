// What must be done once is done by pthread_once: the second caller waits until it is done.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;
static void fill(void) { table = 42; }

static void *user(void *u)
{
    pthread_once(&once, fill);
    assert(table == 42);
    return u;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, user, NULL);
    pthread_create(&t, NULL, user, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
