// Each thread is given the address of a number of its own.
// expect: proved
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
    int numbers[2];
    for (int i = 0; i < 2; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, square, &numbers[i]);
    }
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
