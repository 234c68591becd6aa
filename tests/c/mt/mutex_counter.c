// a normal mutex protects a plain counter
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 50 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void *add(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        long seen = counter;
        counter = seen + 1;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", counter);
    return 0;
}
