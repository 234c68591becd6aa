// errno is per thread
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t bar;

static void *work(void *arg) {
    int me = *(int *)arg;
    int ok = errno == 0;
    errno = 100 + me;
    pthread_barrier_wait(&bar);
    ok &= errno == 100 + me;
    pthread_barrier_wait(&bar);
    if (me == 1)
        ok &= strtol("99999999999999999999999", NULL, 10) > 0;
    pthread_barrier_wait(&bar);
    ok &= errno == (me == 1 ? ERANGE : 100 + me);
    *(int *)arg = ok;
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int id[3] = {0, 1, 2};
    errno = 42;
    pthread_barrier_init(&bar, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d main %d\n", id[0], id[1], id[2], errno);
    return 0;
}
