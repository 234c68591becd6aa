// pthread_exit from a thread, from the start function and from deep inside
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void dig(int depth, intptr_t value) {
    if (depth == 0)
        pthread_exit((void *)value);
    dig(depth - 1, value + depth);
}

static void *shallow(void *arg) {
    pthread_exit(arg);
}

static void *deep(void *arg) {
    dig(5, (intptr_t)arg);
    return (void *)(intptr_t)-1;
}

int main(void) {
    pthread_t a, b;
    void *ra, *rb;
    pthread_create(&a, NULL, shallow, (void *)(intptr_t)11);
    pthread_create(&b, NULL, deep, (void *)(intptr_t)20);
    pthread_join(a, &ra);
    pthread_join(b, &rb);
    printf("%ld %ld\n", (long)(intptr_t)ra, (long)(intptr_t)rb);
    return 0;
}
