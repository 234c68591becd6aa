// dining philosophers who take the fork with the smaller number first
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { N = 5, MEALS = 6 };

static pthread_mutex_t fork_of[N];
static int uses[N], meals[N];

static void *philosopher(void *arg) {
    int me = *(int *)arg, left = me, right = (me + 1) % N;
    int first = left < right ? left : right, second = left + right - first;
    for (int i = 0; i < MEALS; i++) {
        pthread_mutex_lock(&fork_of[first]);
        pthread_mutex_lock(&fork_of[second]);
        uses[first]++;
        uses[second]++;
        meals[me]++;
        pthread_mutex_unlock(&fork_of[second]);
        pthread_mutex_unlock(&fork_of[first]);
        sched_yield();
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, philosopher, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++) {
        printf("%d meals, fork used %d times\n", meals[i], uses[i]);
        pthread_mutex_destroy(&fork_of[i]);
    }
    return 0;
}
