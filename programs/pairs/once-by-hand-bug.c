// A once flag by hand: it is set before the work is done, and the second caller does not wait.
// expect: kind=data-race line=15 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag begun = ATOMIC_FLAG_INIT;
static int table;
static void fill(void) { table = 42; }

static void *user(void *u)
{
    if (!atomic_flag_test_and_set(&begun))
        fill();
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
