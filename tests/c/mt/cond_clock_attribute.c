// condition variables with the monotonic clock: attribute round trip, time-out, a signal that arrives
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;
static int flag;

static void *signaller(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    flag = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_condattr_t attr;
    clockid_t clock;
    pthread_condattr_init(&attr);
    pthread_condattr_getclock(&attr, &clock);
    printf("realtime by default %d\n", clock == CLOCK_REALTIME);
    printf("set %d\n", pthread_condattr_setclock(&attr, CLOCK_MONOTONIC));
    pthread_condattr_getclock(&attr, &clock);
    printf("monotonic %d\n", clock == CLOCK_MONOTONIC);
    pthread_cond_init(&c, &attr);
    pthread_condattr_destroy(&attr);

    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&m);
    int rc = 0;
    while (rc == 0)
        rc = pthread_cond_timedwait(&c, &m, &t);
    printf("timed out %d\n", rc == ETIMEDOUT);
    pthread_t s;
    pthread_create(&s, NULL, signaller, NULL);
    while (!flag)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(s, NULL);
    printf("flag %d destroy %d\n", flag, pthread_cond_destroy(&c));
    return 0;
}
