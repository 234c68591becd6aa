// atomic double and float, added by compare-exchange and by the compound operator
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic double sum;
static _Atomic float small = 1.0f;

static void *work(void *arg) {
    double step = *(double *)arg;
    for (int i = 0; i < 16; i++) {
        double old = atomic_load(&sum);
        while (!atomic_compare_exchange_weak(&sum, &old, old + step))
            ;
        small += 0.5f;
    }
    return NULL;
}

int main(void) {
    pthread_t t[3];
    double step[3] = {0.25, 1.5, -0.125};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &step[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%.4f %.2f\n", sum, (double)small);
    return 0;
}
