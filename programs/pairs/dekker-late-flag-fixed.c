// Mutual exclusion by flags, without waiting: a thread raises its own flag before it looks at the other one. It may
// happen that nobody gets in, but never both.
// expect: proved
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], inside;

static void *visit(void *argument)
{
    int me = *(int *)argument, other = 1 - me;
    flag[me] = 1;
    if (!flag[other]) {
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
