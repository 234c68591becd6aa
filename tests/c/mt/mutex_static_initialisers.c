// all static initialisers of mutexes, also inside a struct and an array
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static struct {
    int before;
    pthread_mutex_t m[2];
    int after;
} s = {1, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP}, 2};

static void *add(void *arg) {
    int *n = arg;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&normal);
        pthread_mutex_lock(&adaptive);
        pthread_mutex_lock(&s.m[1]);
        pthread_mutex_lock(&s.m[1]);
        ++*n;
        pthread_mutex_unlock(&s.m[1]);
        pthread_mutex_unlock(&s.m[1]);
        pthread_mutex_unlock(&adaptive);
        pthread_mutex_unlock(&normal);
    }
    return NULL;
}

int main(void) {
    int n = 0;
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, &n);
    pthread_create(&t[1], NULL, add, &n);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", n);
    printf("recursive %d", pthread_mutex_lock(&recursive));
    printf(" %d", pthread_mutex_lock(&recursive));
    printf(" %d", pthread_mutex_unlock(&recursive));
    printf(" %d\n", pthread_mutex_unlock(&recursive));
    printf("errorcheck %d", pthread_mutex_lock(&errorcheck));
    printf(" %d", pthread_mutex_lock(&errorcheck) == EDEADLK);
    printf(" %d", pthread_mutex_unlock(&errorcheck));
    printf(" %d\n", pthread_mutex_unlock(&errorcheck) == EPERM);
    printf("in struct %d %d", s.before, pthread_mutex_lock(&s.m[0]));
    printf(" %d", pthread_mutex_trylock(&s.m[0]) == EBUSY);
    printf(" %d %d\n", pthread_mutex_unlock(&s.m[0]), s.after);
    return 0;
}
