// timedlock on a normal mutex that the caller itself holds times out; the recursive kind counts
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

int main(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    pthread_mutex_lock(&normal);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&errorcheck);
    printf("normal %d\n", pthread_mutex_timedlock(&normal, &t) == ETIMEDOUT);
    printf("recursive %d\n", pthread_mutex_timedlock(&recursive, &t));
    printf("errorcheck %d\n", pthread_mutex_timedlock(&errorcheck, &t) == EDEADLK);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&normal);
    pthread_mutex_unlock(&errorcheck);
    return 0;
}
