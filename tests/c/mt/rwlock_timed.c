// timedrdlock and timedwrlock: ETIMEDOUT while held by a thread that waits for us, 0 when free
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t held, release;

static void *holder(void *arg) {
    if (*(int *)arg)
        pthread_rwlock_wrlock(&lock);
    else
        pthread_rwlock_rdlock(&lock);
    sem_post(&held);
    sem_wait(&release);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static struct timespec soon(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

int main(void) {
    sem_init(&held, 0, 0);
    sem_init(&release, 0, 0);
    for (int writer = 0; writer < 2; writer++) {
        pthread_t t;
        pthread_create(&t, NULL, holder, &writer);
        sem_wait(&held);
        struct timespec when = soon();
        int rd = pthread_rwlock_timedrdlock(&lock, &when);
        if (rd == 0)
            pthread_rwlock_unlock(&lock);
        when = soon();
        int wr = pthread_rwlock_timedwrlock(&lock, &when);
        printf("%s holds: rd %d wr timed out %d\n", writer ? "writer" : "reader",
               writer ? rd == ETIMEDOUT : rd, wr == ETIMEDOUT);
        sem_post(&release);
        pthread_join(t, NULL);
    }
    struct timespec when = soon();
    printf("free: %d", pthread_rwlock_timedwrlock(&lock, &when));
    printf(" %d\n", pthread_rwlock_unlock(&lock));
    return 0;
}
