// a table behind a rwlock: look up under the read lock, insert under the write lock and look again
#include <pthread.h>
#include <stdio.h>

enum { KEYS = 8, THREADS = 3 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int known[KEYS], value[KEYS], computed[KEYS];

static int slow(int key) {
    computed[key]++;
    return key * key + 1;
}

static int lookup(int key) {
    pthread_rwlock_rdlock(&lock);
    int hit = known[key], v = value[key];
    pthread_rwlock_unlock(&lock);
    if (hit)
        return v;
    pthread_rwlock_wrlock(&lock);
    if (!known[key]) {
        value[key] = slow(key);
        known[key] = 1;
    }
    v = value[key];
    pthread_rwlock_unlock(&lock);
    return v;
}

static void *client(void *arg) {
    int *sum = arg;
    for (int i = 0; i < 3 * KEYS; i++)
        *sum += lookup(i * 5 % KEYS);
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    int sum[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, client, &sum[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        printf("%d\n", sum[i]);
    }
    for (int k = 0; k < KEYS; k++)
        printf("%d", computed[k]);
    printf("\n");
    return 0;
}
