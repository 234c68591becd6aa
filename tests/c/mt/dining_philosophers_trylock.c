// dining philosophers who put the first fork back when the second is taken, and after three failures wait in order
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { N = 3, MEALS = 4 };

static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int uses[N];

static void take_both(int a, int b) {
    for (int attempt = 0; attempt < 3; attempt++) {
        pthread_mutex_lock(&fork_of[a]);
        if (pthread_mutex_trylock(&fork_of[b]) == 0)
            return;
        pthread_mutex_unlock(&fork_of[a]);
        sched_yield();
    }
    pthread_mutex_lock(&fork_of[a < b ? a : b]);
    pthread_mutex_lock(&fork_of[a < b ? b : a]);
}

static void *philosopher(void *arg) {
    int left = *(int *)arg, right = (left + 1) % N;
    for (int i = 0; i < MEALS; i++) {
        take_both(left, right);
        uses[left]++;
        uses[right]++;
        pthread_mutex_unlock(&fork_of[left]);
        pthread_mutex_unlock(&fork_of[right]);
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
