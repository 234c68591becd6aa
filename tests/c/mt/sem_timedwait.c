// sem_timedwait: takes what is there, ETIMEDOUT when nobody posts, EINVAL for a bad time
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t s;
    struct timespec past = {0, 0}, t;
    sem_init(&s, 0, 1);
    printf("there %d\n", sem_timedwait(&s, &past));
    errno = 0;
    int rc = sem_timedwait(&s, &past);
    printf("past %d %d\n", rc, errno == ETIMEDOUT);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 2000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    errno = 0;
    rc = sem_timedwait(&s, &t);
    printf("soon %d %d\n", rc, errno == ETIMEDOUT);
    t.tv_nsec = 2000000000;
    errno = 0;
    rc = sem_timedwait(&s, &t);
    printf("bad %d %d\n", rc, errno == EINVAL);
    int v;
    sem_getvalue(&s, &v);
    printf("value %d\n", v);
    sem_destroy(&s);
    return 0;
}
