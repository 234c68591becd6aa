// A stack without locks, its nodes in an array. The top carries a number that grows with every push, so that a
// compare-exchange notices that a node was away in between.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NONE, A, B, NODES };

// The node in the low byte, the number of pushes above it.
#define NODE(top) ((top) & 0xff)
#define TOP(node, old) ((node) | (((old) & ~0xff) + 0x100))
static atomic_int top = A;
static atomic_int below[NODES] = {[A] = B, [B] = NONE};
static atomic_int owners[NODES];

static int pop(void)
{
    int seen = top;
    while (NODE(seen) != NONE) {
        int next = below[NODE(seen)];
        if (atomic_compare_exchange_strong(&top, &seen, next | (seen & ~0xff)))
            break;
    }
    return NODE(seen);
}

static void push(int node)
{
    int seen = top;
    do
        below[node] = NODE(seen);
    while (!atomic_compare_exchange_strong(&top, &seen, TOP(node, seen)));
}

static int take(void)
{
    int node = pop();
    if (node != NONE)
        assert(atomic_fetch_add(&owners[node], 1) == 0);
    return node;
}

static void *take_two(void *unused)
{
    (void)unused;
    take();
    take();
    return NULL;
}

static void *take_two_and_return_one(void *unused)
{
    (void)unused;
    int first = take();
    take();
    if (first != NONE) {
        atomic_fetch_sub(&owners[first], 1);
        push(first);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, take_two, NULL);
    pthread_create(&two, NULL, take_two_and_return_one, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
