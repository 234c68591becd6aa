// mutexes in the heap: init, use by two threads, destroy, init again in the same memory with another type
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t m;
    int balance;
};

static void *deposit(void *arg) {
    struct account *a = arg;
    for (int i = 1; i <= 10; i++) {
        pthread_mutex_lock(&a->m);
        a->balance += i;
        pthread_mutex_unlock(&a->m);
    }
    return NULL;
}

static int type_of(int type) {
    pthread_mutexattr_t attr;
    int got = -1;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_gettype(&attr, &got);
    pthread_mutexattr_destroy(&attr);
    return got;
}

int main(void) {
    struct account *a = malloc(sizeof *a);
    a->balance = 0;
    printf("init %d\n", pthread_mutex_init(&a->m, NULL));
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, deposit, a);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("balance %d\n", a->balance);
    printf("destroy %d\n", pthread_mutex_destroy(&a->m));

    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    printf("init %d\n", pthread_mutex_init(&a->m, &attr));
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_lock(&a->m);
    printf("errorcheck %d\n", pthread_mutex_lock(&a->m) == EDEADLK);
    pthread_mutex_unlock(&a->m);
    printf("destroy %d\n", pthread_mutex_destroy(&a->m));
    free(a);

    printf("types %d %d %d\n", type_of(PTHREAD_MUTEX_NORMAL) == PTHREAD_MUTEX_NORMAL,
           type_of(PTHREAD_MUTEX_RECURSIVE) == PTHREAD_MUTEX_RECURSIVE,
           type_of(PTHREAD_MUTEX_ERRORCHECK) == PTHREAD_MUTEX_ERRORCHECK);
    return 0;
}
