// thread attributes: defaults, setters and getters, a thread created with a stack size
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static void *use_stack(void *arg) {
    unsigned char big[20000];
    for (int i = 0; i < 20000; i++)
        big[i] = (unsigned char)(i * 7);
    int sum = 0;
    for (int i = 0; i < 20000; i += 97)
        sum += big[i];
    *(int *)arg = sum;
    return NULL;
}

int main(void) {
    pthread_attr_t attr;
    int state, sum = 0;
    size_t size;
    pthread_attr_init(&attr);
    pthread_attr_getdetachstate(&attr, &state);
    printf("joinable by default %d\n", state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attr, &state);
    printf("detached now %d\n", state == PTHREAD_CREATE_DETACHED);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_JOINABLE);
    printf("set size %d\n", pthread_attr_setstacksize(&attr, 256 * 1024));
    pthread_attr_getstacksize(&attr, &size);
    printf("get size %zu\n", size);
    pthread_t t;
    printf("create %d\n", pthread_create(&t, &attr, use_stack, &sum));
    pthread_attr_destroy(&attr);
    printf("join %d\n", pthread_join(t, NULL));
    printf("sum %d\n", sum);
    return 0;
}
