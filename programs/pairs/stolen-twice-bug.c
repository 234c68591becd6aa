// A deque of two tasks: its owner takes from the bottom, a thief steals from the top. When one task is left they may
// want the same; the thief uses a compare-exchange, the owner does not.
// expect: kind=assertion line=37 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TASKS 2
#define EMPTY (-1)

static atomic_int top = 0, bottom = TASKS;
static atomic_int taken[TASKS];

static int take(void)
{
    int task = --bottom;
    int first = top;
    if (first < task)
        return task;
    if (first > task)
        task = EMPTY;
    bottom = top;
    return task;
}

static int steal(void)
{
    int task = top;
    if (task >= bottom || !atomic_compare_exchange_strong(&top, &task, task + 1))
        return EMPTY;
    return task;
}

static void run(int task)
{
    if (task != EMPTY)
        assert(atomic_fetch_add(&taken[task], 1) == 0);
}

static void *own(void *unused)
{
    (void)unused;
    run(take());
    run(take());
    return NULL;
}

static void *rob(void *unused)
{
    (void)unused;
    run(steal());
    return NULL;
}

int main(void)
{
    pthread_t owner, thief;
    pthread_create(&owner, NULL, own, NULL);
    pthread_create(&thief, NULL, rob, NULL);
    pthread_join(owner, NULL);
    pthread_join(thief, NULL);
    return 0;
}
