// a recursive mutex by attribute: nested locks, trylock by the owner, free only after the last unlock
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;
static int calls;

static int enter(int depth) {
    pthread_mutex_lock(&m);
    calls++;
    int r = depth ? enter(depth - 1) + depth : 0;
    pthread_mutex_unlock(&m);
    return r;
}

static void *work(void *arg) {
    *(int *)arg = enter(6);
    return NULL;
}

static void *try_it(void *arg) {
    *(int *)arg = pthread_mutex_trylock(&m);
    if (*(int *)arg == 0)
        pthread_mutex_unlock(&m);
    return NULL;
}

static int other_tries(void) {
    pthread_t t;
    int rc;
    pthread_create(&t, NULL, try_it, &rc);
    pthread_join(t, NULL);
    return rc;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_t t[3];
    int r[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &r[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d calls %d\n", r[0], r[1], r[2], calls);
    printf("lock %d\n", pthread_mutex_lock(&m));
    printf("trylock by owner %d\n", pthread_mutex_trylock(&m));
    printf("other busy %d\n", other_tries() == EBUSY);
    pthread_mutex_unlock(&m);
    printf("other busy %d\n", other_tries() == EBUSY);
    pthread_mutex_unlock(&m);
    printf("other gets it %d\n", other_tries() == 0);
    printf("destroy %d\n", pthread_mutex_destroy(&m));
    return 0;
}
