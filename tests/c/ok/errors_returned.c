// errors that the library reports by its result are no misuse
// expect: none
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t check = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    sem_t s;
    sem_init(&s, 0, 0);
    printf("%d\n", pthread_mutex_unlock(&check) == EPERM);
    printf("%d\n", pthread_mutex_unlock(&recursive) == EPERM);
    pthread_mutex_lock(&normal);
    printf("%d\n", pthread_mutex_trylock(&normal) == EBUSY);
    pthread_mutex_unlock(&normal);
    int rc = sem_trywait(&s);
    printf("%d %d\n", rc, errno == EAGAIN);
    printf("%d\n", pthread_mutexattr_settype(&(pthread_mutexattr_t){0}, -5) == EINVAL);
    return 0;
}
