// two locks in opposite order; a barrier makes sure that each thread holds its first one
// expect: deadlock 0
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both;

static void *work(void *arg) {
    int first = *(int *)arg;
    pthread_mutex_lock(&m[first]);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&m[!first]);
    pthread_mutex_unlock(&m[!first]);
    pthread_mutex_unlock(&m[first]);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
