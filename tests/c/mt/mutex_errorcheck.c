// an errorcheck mutex returns EDEADLK and EPERM instead of misbehaving
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;

static void *foreign(void *arg) {
    int *rc = arg;
    rc[0] = pthread_mutex_unlock(&m);
    rc[1] = pthread_mutex_trylock(&m);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);

    printf("unlock of unlocked EPERM %d\n", pthread_mutex_unlock(&m) == EPERM);
    printf("lock %d\n", pthread_mutex_lock(&m));
    printf("again EDEADLK %d\n", pthread_mutex_lock(&m) == EDEADLK);
    printf("try EBUSY %d\n", pthread_mutex_trylock(&m) == EBUSY);
    pthread_t t;
    int rc[2];
    pthread_create(&t, NULL, foreign, rc);
    pthread_join(t, NULL);
    printf("foreign unlock EPERM %d try EBUSY %d\n", rc[0] == EPERM, rc[1] == EBUSY);
    printf("unlock %d\n", pthread_mutex_unlock(&m));
    printf("unlock EPERM %d\n", pthread_mutex_unlock(&m) == EPERM);
    printf("destroy %d\n", pthread_mutex_destroy(&m));
    return 0;
}
