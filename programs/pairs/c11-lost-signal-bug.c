// C11: the waiter tests the flag without the lock, and the signal may come between the test and the wait.
// expect: kind=deadlock line=31 exit=1
#include <stdatomic.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static atomic_bool ready;

static int waiter(void *u)
{
    (void)u;
    while (!ready) {
        mtx_lock(&lock);
        cnd_wait(&changed, &lock);
        mtx_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&t, waiter, NULL);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    thrd_join(t, NULL);
    return 0;
}
