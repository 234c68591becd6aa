// timedlock: 0 on a free mutex even with a past deadline, ETIMEDOUT while held by a thread that waits for us
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, release;

static void *holder(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    sem_post(&held);
    sem_wait(&release);
    pthread_mutex_unlock(&m);
    return NULL;
}

static struct timespec soon(long ns) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ns;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

int main(void) {
    sem_init(&held, 0, 0);
    sem_init(&release, 0, 0);
    struct timespec past = {0, 0};
    printf("free %d\n", pthread_mutex_timedlock(&m, &past));
    pthread_mutex_unlock(&m);
    pthread_t t;
    pthread_create(&t, NULL, holder, NULL);
    sem_wait(&held);
    struct timespec when = soon(2000000);
    printf("held %d\n", pthread_mutex_timedlock(&m, &when) == ETIMEDOUT);
    printf("held, past %d\n", pthread_mutex_timedlock(&m, &past) == ETIMEDOUT);
    when.tv_nsec = -1;
    printf("bad time %d\n", pthread_mutex_timedlock(&m, &when) == EINVAL);
    sem_post(&release);
    pthread_join(t, NULL);
    when = soon(1000000);
    printf("free %d\n", pthread_mutex_timedlock(&m, &when));
    pthread_mutex_unlock(&m);
    printf("destroy %d\n", pthread_mutex_destroy(&m));
    return 0;
}
