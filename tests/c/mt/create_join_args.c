// pthread_create and pthread_join: integers through the argument and the return value
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 6 };

static void *square(void *arg) {
    intptr_t x = (intptr_t)arg;
    return (void *)(x * x - 3);
}

int main(void) {
    pthread_t t[N];
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, square, (void *)i);
    for (int i = N - 1; i >= 0; i--) {
        void *r;
        pthread_join(t[i], &r);
        printf("%d: %ld\n", i, (long)(intptr_t)r);
    }
    return 0;
}
