// A barrier that can be used again, made of a mutex, a condition variable and a number that says which meeting this is.
//     -DN=n    number of threads
//     -DS=s    how often they meet
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef S
#define S 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived, generation;

static void meet(void)
{
    pthread_mutex_lock(&lock);
    int mine = generation;
    if (++arrived == N) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&all_here);
    } else {
        while (generation == mine)
            pthread_cond_wait(&all_here, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *walk(void *unused)
{
    (void)unused;
    for (int step = 0; step < S; step++)
        meet();
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, walk, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(generation == S && arrived == 0);
    return 0;
}
