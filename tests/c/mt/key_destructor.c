// thread-specific data: a value per thread, the destructor frees it, NULL values are left alone
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, sum;

static void drop(void *p) {
    pthread_mutex_lock(&m);
    destroyed++;
    sum += *(int *)p;
    pthread_mutex_unlock(&m);
    free(p);
}

static void *work(void *arg) {
    if (pthread_getspecific(key) != NULL)
        return arg;
    int *mine = malloc(sizeof *mine);
    *mine = *(int *)arg * 2;
    pthread_setspecific(key, mine);
    if (pthread_getspecific(key) != mine)
        return arg;
    if (*mine == 6) {
        free(mine);
        pthread_setspecific(key, NULL);
    }
    return NULL;
}

int main(void) {
    printf("create %d\n", pthread_key_create(&key, drop));
    pthread_t t[4];
    int id[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        printf("%d\n", r == NULL);
    }
    printf("destroyed %d sum %d\n", destroyed, sum);
    printf("main has none %d\n", pthread_getspecific(key) == NULL);
    printf("delete %d\n", pthread_key_delete(key));
    return 0;
}
