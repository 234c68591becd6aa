// for a long while threads only look, and one of them, or time, brings all of them out of it
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int first, second, third, zero;

static void *wait_for_all(void *arg) {
    while (!atomic_load(&first)) {
    }
    while (!atomic_load(&second)) {
    }
    while (!atomic_load(&third)) {
    }
    return arg;
}

static void *sleep_first(void *arg) {
    sleep(5);
    atomic_store(&second, 1);
    return arg;
}

static void *time_out(void *arg) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&never, &lock, &soon) == 0) {
    }
    pthread_mutex_unlock(&lock);
    atomic_store(&third, 1);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, wait_for_all, NULL);
    pthread_create(&threads[1], NULL, sleep_first, NULL);
    pthread_create(&threads[2], NULL, time_out, NULL);
    int sum = 0;
    for (int i = 0; i < 20000; i++) {
        sum += i % 7 + atomic_load(&zero);
    }
    atomic_store(&first, 1);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%d\n", sum);
    return 0;
}
