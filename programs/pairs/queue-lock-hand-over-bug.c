// A queue lock (Mellor-Crummey and Scott): the one who leaves does not wait for a successor who has swapped himself in
// but not yet said who he is.
// expect: kind=use-after-free line=18 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node { struct node *_Atomic next; atomic_int locked; };
static struct node *_Atomic tail;
static int counter;

static void take(struct node *me)
{
    atomic_store(&me->next, NULL);
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        atomic_store(&me->locked, 1);
        atomic_store(&before->next, me);
        while (atomic_load(&me->locked))
            ;
    }
}

static void give(struct node *me)
{
    struct node *next = atomic_load(&me->next);
    if (!next) {
        struct node *expected = me;
        atomic_compare_exchange_strong(&tail, &expected, NULL);
        return;
    }
    atomic_store(&next->locked, 0);
}

static void *work(void *u)
{
    static _Thread_local struct node me;
    take(&me);
    counter++;
    give(&me);
    return u;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, work, NULL);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}
