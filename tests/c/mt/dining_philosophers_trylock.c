// dining philosophers who put the first fork back when the second is taken
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { N = 3, MEALS = 4 };

static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int uses[N];

static void *philosopher(void *arg) {
    int me = *(int *)arg, meals = 0;
    while (meals < MEALS) {
        pthread_mutex_lock(&fork_of[me]);
        if (pthread_mutex_trylock(&fork_of[(me + 1) % N]) == 0) {
            uses[me]++;
            uses[(me + 1) % N]++;
            meals++;
            pthread_mutex_unlock(&fork_of[(me + 1) % N]);
        }
        pthread_mutex_unlock(&fork_of[me]);
        sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {0, 1, 2};
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", uses[0], uses[1], uses[2]);
    return 0;
}
