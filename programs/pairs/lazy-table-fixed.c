// A table is filled when it is first needed, with pthread_once.
// expect: proved
#include <pthread.h>

static int squares[3];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void)
{
    for (int i = 0; i < 3; i++)
        squares[i] = i * i;
}

static int square(int i)
{
    pthread_once(&once, fill);
    return squares[i];
}

static void *work(void *sum)
{
    *(int *)sum = square(1) + square(2);
    return NULL;
}

int main(void)
{
    static int sums[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sums[0] + sums[1] == 10 ? 0 : 1;
}
