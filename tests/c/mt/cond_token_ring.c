// a token goes round a ring of threads, one condition variable each
#include <pthread.h>
#include <stdio.h>

enum { N = 4, LAPS = 3 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t at[N];
static int holder, path[N * LAPS], len;

static void *member(void *arg) {
    int me = *(int *)arg;
    for (int lap = 0; lap < LAPS; lap++) {
        pthread_mutex_lock(&m);
        while (holder != me)
            pthread_cond_wait(&at[me], &m);
        path[len++] = me * 10 + lap;
        holder = (me + 1) % N;
        pthread_cond_signal(&at[holder]);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i < N; i++)
        pthread_cond_init(&at[i], NULL);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, member, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < len; i++)
        printf("%d ", path[i]);
    printf("\n");
    for (int i = 0; i < N; i++)
        pthread_cond_destroy(&at[i]);
    return 0;
}
