// C11: two modules share the once flag of what both need.
// expect: proved
#include <assert.h>
#include <threads.h>

static once_flag a = ONCE_FLAG_INIT;
#define b a
static int instances;
static void make(void) { instances++; }
static int first(void *u) { (void)u; call_once(&a, make); return 0; }
static int second(void *u) { (void)u; call_once(&b, make); return 0; }

int main(void)
{
    thrd_t s, t;
    thrd_create(&s, first, NULL);
    thrd_create(&t, second, NULL);
    thrd_join(s, NULL);
    thrd_join(t, NULL);
    assert(instances == 1);
    return 0;
}
