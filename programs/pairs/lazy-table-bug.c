// A table is filled when it is first needed. The fill is under a lock; the check before it, "is it filled already?",
// is not, to save time.
// expect: kind=data-race line=18|22 exit=1
#include <pthread.h>

static int squares[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int filled;

static void fill(void)
{
    for (int i = 0; i < 3; i++)
        squares[i] = i * i;
}

static int square(int i)
{
    if (!filled) {
        pthread_mutex_lock(&lock);
        if (!filled) {
            fill();
            filled = 1;
        }
        pthread_mutex_unlock(&lock);
    }
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
