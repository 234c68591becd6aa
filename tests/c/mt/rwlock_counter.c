// readers see a pair that writers always change together
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b = 100, torn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg) {
    int step = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        pthread_rwlock_wrlock(&lock);
        a += step;
        b -= step;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *reader(void *arg) {
    (void)arg;
    int bad = 0;
    for (int i = 0; i < 10; i++) {
        pthread_rwlock_rdlock(&lock);
        if (a + b != 100)
            bad++;
        pthread_rwlock_unlock(&lock);
    }
    pthread_mutex_lock(&m);
    torn += bad;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t w[2], r[3];
    int step[2] = {1, 3};
    for (int i = 0; i < 2; i++)
        pthread_create(&w[i], NULL, writer, &step[i]);
    for (int i = 0; i < 3; i++)
        pthread_create(&r[i], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(w[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(r[i], NULL);
    printf("%d %d torn %d\n", a, b, torn);
    return 0;
}
