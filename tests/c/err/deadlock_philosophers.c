// three philosophers who all hold their left fork
// expect: deadlock 0
#include <pthread.h>
#include <stddef.h>

enum { N = 3 };

static pthread_mutex_t fork_of[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t seated;

static void *philosopher(void *arg) {
    int me = *(int *)arg;
    pthread_mutex_lock(&fork_of[me]);
    pthread_barrier_wait(&seated);
    pthread_mutex_lock(&fork_of[(me + 1) % N]);
    pthread_mutex_unlock(&fork_of[(me + 1) % N]);
    pthread_mutex_unlock(&fork_of[me]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N] = {0, 1, 2};
    pthread_barrier_init(&seated, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, &id[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
