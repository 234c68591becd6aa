/* Sleeps and time-outs end in the order of their times, those of different threads side by side. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define STEP 150 /* ms: much more than a busy machine is late */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int done;

static struct timespec after(int steps)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += steps * STEP * 1000000L;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void nap(int steps) { usleep(steps * STEP * 1000); }

static void *sleeper(void *steps)
{
    nap((int)(long)steps);
    printf("slept %ld\n", (long)steps);
    return NULL;
}

static void *holder(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&held);
    nap(4);
    pthread_mutex_unlock(&held);
    nap(2);
    sem_post(&posted);
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    struct timespec start, end, deadline;
    setvbuf(stdout, NULL, _IOLBF, 0);
    sem_init(&posted, 0, 0);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)(7 - 2 * i));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("together: %d\n", (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 < 10 * STEP);

    pthread_create(&threads[0], NULL, holder, NULL);
    nap(1);
    deadline = after(1);
    printf("locked in vain: %d\n", pthread_mutex_timedlock(&held, &deadline) == ETIMEDOUT);
    deadline = after(20);
    printf("locked: %d\n", pthread_mutex_timedlock(&held, &deadline));
    deadline = after(0);
    printf("in the past: %d\n", sem_timedwait(&posted, &deadline) == -1 && errno == ETIMEDOUT);
    deadline = after(20);
    pthread_mutex_lock(&m);
    while (!done && pthread_cond_timedwait(&changed, &m, &deadline) == 0)
        ;
    printf("done: %d\n", done);
    pthread_mutex_unlock(&m);
    printf("posted: %d\n", sem_timedwait(&posted, &deadline));
    pthread_join(threads[0], NULL);
    return 0;
}
