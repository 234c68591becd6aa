// plain operators on _Atomic objects: ++ -- += *= <<= ^= are atomic as a whole
#include <pthread.h>
#include <stdio.h>

static _Atomic int up, down, plus;
static _Atomic unsigned times = 1, mask;
static _Atomic short narrow;
static _Atomic _Bool any;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        up++;
        --down;
        plus += me;
        times *= 3;
        mask ^= 1u << me;
        narrow -= 7;
        any |= 1;
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int id[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &id[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d %u %x %d %d\n", up, down, plus, times, mask, narrow, any);
    return 0;
}
