// main polls a flag with nanosleep until a thread has set it
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_int progress;

static void *work(void *arg) {
    for (int i = 0; i < 4; i++) {
        *(int *)arg += i * i;
        atomic_store(&progress, i + 1);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    int result = 0;
    pthread_create(&t, NULL, work, &result);
    while (atomic_load(&progress) < 4)
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    printf("%d\n", result);
    pthread_join(t, NULL);
    return 0;
}
