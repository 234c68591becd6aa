// Lamport's bakery for two: draw a number larger than the other one's, with a sign up while drawing, and wait while
// the other one is drawing or has a smaller number.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int drawing[2];
static atomic_int number[2], inside;

static int before(int other, int me)
{
    int theirs = number[other], mine = number[me];
    return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
}

static void *buy_bread(void *argument)
{
    int me = *(int *)argument, other = 1 - me;
    drawing[me] = 1;
    number[me] = number[other] + 1;
    drawing[me] = 0;
    while (drawing[other])
        ;
    while (before(other, me))
        ;
    assert(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    number[me] = 0;
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t customers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&customers[i], NULL, buy_bread, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(customers[i], NULL);
    return 0;
}
