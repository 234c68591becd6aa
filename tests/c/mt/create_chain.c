// each thread creates the next one and adds its own number to the result
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *link_of_chain(void *arg) {
    intptr_t n = (intptr_t)arg;
    if (n == 0)
        return (void *)(intptr_t)100;
    pthread_t next;
    pthread_create(&next, NULL, link_of_chain, (void *)(n - 1));
    void *r;
    pthread_join(next, &r);
    return (void *)((intptr_t)r + n);
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, link_of_chain, (void *)(intptr_t)10);
    pthread_join(t, &r);
    printf("%ld\n", (long)(intptr_t)r);
    return (int)(intptr_t)r - 155;
}
