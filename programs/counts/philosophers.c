// N philosophers at a round table take the left fork, then the right one. If all have the left one, nobody eats ever
// again: one of 2^N - 1 traces. With -DORDERED the last one takes the right fork first, and all get their meal.
//     -DN=n       number of philosophers
//     -DORDERED   the fork with the smaller number first
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *argument)
{
    int *my_meals = argument;
    int me = (int)(my_meals - meals);
    int first = me, second = (me + 1) % N;
#ifdef ORDERED
    if (second < first) {
        first = second;
        second = me;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    ++*my_meals;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, &meals[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        assert(meals[i] == 1);
    return 0;
}
