// volatile objects and bit-fields shared under a mutex
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int v;
static struct {
    unsigned a : 3, b : 7, c : 22;
    signed d : 5;
} bits;

static void *work(void *arg) {
    int me = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        v = v + me;
        bits.a += 1;
        bits.b += (unsigned)me & 127;
        bits.c += 1000;
        bits.d = (i % 2) ? -1 : 1;
        pthread_mutex_unlock(&m);
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
    printf("%d %u %u %u\n", v, bits.a, bits.b, bits.c);
    return 0;
}
