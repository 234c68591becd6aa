// a recursive mutex that is not held, or held by another thread, refuses the unlock with EPERM
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;

static void *foreign(void *arg) {
    *(int *)arg = pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    printf("unlocked %d\n", pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_lock(&m);
    pthread_t t;
    int rc;
    pthread_create(&t, NULL, foreign, &rc);
    pthread_join(t, NULL);
    printf("foreign %d\n", rc == EPERM);
    printf("own %d\n", pthread_mutex_unlock(&m));
    printf("again %d\n", pthread_mutex_unlock(&m) == EPERM);
    return 0;
}
