// timedwait that nobody signals: ETIMEDOUT, the mutex is held again, the deadline has passed
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *try_it(void *arg) {
    *(int *)arg = pthread_mutex_trylock(&m);
    return NULL;
}

int main(void) {
    struct timespec t, now;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 3000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&m);
    int rc = 0;
    while (rc == 0)
        rc = pthread_cond_timedwait(&c, &m, &t);
    printf("timed out %d\n", rc == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("late %d\n", now.tv_sec > t.tv_sec || (now.tv_sec == t.tv_sec && now.tv_nsec >= t.tv_nsec));
    pthread_t other;
    int busy;
    pthread_create(&other, NULL, try_it, &busy);
    pthread_join(other, NULL);
    printf("held %d\n", busy == EBUSY);
    struct timespec past = {1, 0};
    rc = 0;
    while (rc == 0)
        rc = pthread_cond_timedwait(&c, &m, &past);
    printf("past %d\n", rc == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    printf("destroy %d\n", pthread_cond_destroy(&c));
    return 0;
}
