// Each thread is given the address of the loop variable as its number. The loop goes on while the threads read it.
// expect: kind=data-race line=9|19 exit=1
#include <pthread.h>

static int squares[3];

static void *square(void *number)
{
    int n = *(int *)number;
    if (n < 3)
        __atomic_store_n(&squares[n], n * n, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, square, &i);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
