// a rate limiter: each of six requests is granted no sooner than an interval after the one before
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { INTERVAL = 200000, REQUESTS = 3 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long long next_allowed;
static long long granted[2 * REQUESTS];
static int count;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void request(void) {
    pthread_mutex_lock(&m);
    while (now() < next_allowed) {
        struct timespec pause = {0, INTERVAL / 4};
        nanosleep(&pause, NULL);
    }
    granted[count] = now();
    next_allowed = granted[count++] + INTERVAL;
    pthread_mutex_unlock(&m);
}

static void *client(void *arg) {
    (void)arg;
    for (int i = 0; i < REQUESTS; i++)
        request();
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int too_soon = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 1; i < count; i++)
        too_soon += granted[i] - granted[i - 1] < INTERVAL;
    printf("granted %d too soon %d\n", count, too_soon);
    return 0;
}
