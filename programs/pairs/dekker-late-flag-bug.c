// Mutual exclusion by flags, without waiting: a thread that finds the other one's flag up goes away. It looks before
// it raises its own flag, so both may find nobody there.
// expect: kind=assertion line=15 exit=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], inside;

static void *visit(void *argument)
{
    int me = *(int *)argument, other = 1 - me;
    if (!flag[other]) {
        flag[me] = 1;
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
    }
    flag[me] = 0;
    return NULL;
}

int main(void)
{
    static int ids[2] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
