// A sequence lock whose data are plain: the reader reads while the writer writes, and looks at the counter only after
// that.
// expect: kind=data-race line=26 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int x, y;

static void *writer(void *u)
{
    atomic_fetch_add(&sequence, 1);
    x = 1;
    y = 1;
    atomic_fetch_add(&sequence, 1);
    return u;
}

static void *reader(void *u)
{
    unsigned before;
    int a, b;
    do {
        before = atomic_load(&sequence);
        a = x;
        b = y;
    } while (before % 2 || before != atomic_load(&sequence));
    assert(a == b);
    return u;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, writer, NULL);
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
