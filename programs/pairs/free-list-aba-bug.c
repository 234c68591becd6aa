// A stack whose nodes come from a free list of their own: a popped node is pushed again while another thread still has
// the old top and its successor.
// expect: kind=assertion line=58 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static struct { atomic_int next; } nodes[3];   // 1, 2: nodes; 0: none
static atomic_uint top;
#define NODE(t) (t)
#define WITH(t, n) (n)
static atomic_int out[3];

static unsigned pop(void)
{
    unsigned t = atomic_load(&top);
    while (NODE(t)) {
        unsigned next = nodes[NODE(t)].next;
        if (atomic_compare_exchange_strong(&top, &t, WITH(t, next)))
            return NODE(t);
    }
    return 0;
}

static void push(unsigned n)
{
    unsigned t = atomic_load(&top);
    do
        nodes[n].next = NODE(t);
    while (!atomic_compare_exchange_strong(&top, &t, WITH(t, n)));
}

static void *one(void *u)
{
    unsigned n = pop();
    if (n) assert(atomic_fetch_add(&out[n], 1) == 0);
    return u;
}

static void *two(void *u)
{
    unsigned a = pop(), b = pop();
    if (b) assert(atomic_fetch_add(&out[b], 1) == 0);
    if (a) push(a);
    return u;
}

int main(void)
{
    pthread_t s, t;
    push(2);
    push(1);
    pthread_create(&s, NULL, one, NULL);
    pthread_create(&t, NULL, two, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    for (unsigned n; (n = pop()) != 0;)
        assert(atomic_fetch_add(&out[n], 1) == 0);
    return 0;
}
