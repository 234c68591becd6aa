// timedwait in a predicate loop that starts again after every time-out until the predicate holds
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int value;

static void *setter(void *arg) {
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        value += *(int *)arg;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    int step = 4;
    pthread_t t;
    pthread_create(&t, NULL, setter, &step);
    pthread_mutex_lock(&m);
    while (value != 20) {
        struct timespec when;
        clock_gettime(CLOCK_REALTIME, &when);
        when.tv_sec += 1;
        pthread_cond_timedwait(&c, &m, &when);
    }
    printf("%d\n", value);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
