// a cleanup handler releases a mutex and frees memory when a thread leaves early
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int freed, visits;

static void unlock(void *arg) {
    pthread_mutex_unlock(arg);
}

static void release(void *arg) {
    free(arg);
    freed++;
}

static void *work(void *arg) {
    int me = *(int *)arg;
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    int *scratch = malloc(100 * sizeof *scratch);
    pthread_cleanup_push(release, scratch);
    scratch[me] = ++visits;
    if (me % 2)
        pthread_exit(arg);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_t t[4];
    int id[4] = {0, 1, 2, 3}, early = 0;
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        early += r == &id[i];
    }
    printf("freed %d visits %d early %d\n", freed, visits, early);
    return 0;
}
